#!/bin/sh
# Kills the processes of its parent and removes their folder as soon as its standard input ends,
# which it does however the parent ends, also by SIGKILL. Lines: "keep PID", "drop PID". A shell,
# because it is there at once, also while all processors are busy.
#
#   sh keeper.sh FOLDER

pids=
while read -r verb pid; do
  others=
  for kept in $pids; do
    [ "$kept" = "$pid" ] || others="$others $kept"
  done
  pids=$others
  [ "$verb" = drop ] || pids="$pids $pid"
done

for pid in $pids; do
  kill -9 "$pid"
done
# A server that is being killed may still write a file.
rm -rf "$1" || {
  sleep 1
  rm -rf "$1"
}
