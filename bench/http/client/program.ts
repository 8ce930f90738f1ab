import { answerParent, readArgument, tellParent } from "../../process/answer-parent";
import { KEY_HEADER, PATH } from "../answer";
import { closedLoop } from "./closed-loop";
import { LoadConnection } from "./load-connection";

/** Enough that the server never waits for the client. */
const CONNECTIONS = 32;
const KEYS = 10_000;

const requests = Array.from({ length: KEYS }, (_, index) => {
  const key = `k${(Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(15, "0")}`;
  const lines = [`GET ${PATH} HTTP/1.1`, "host: 127.0.0.1", `${KEY_HEADER}: ${key}`];
  return Buffer.from(`${[...lines, "accept: application/json"].join("\r\n")}\r\n\r\n`, "latin1");
});
let place = 0;

function nextRequest(): Buffer {
  place = (place + 1) % requests.length;
  return requests[place] as Buffer;
}

/** The connections to each server are opened once, before any round. */
const connectionsByPort = new Map<number, LoadConnection[]>();
for (const port of readArgument<number[]>()) {
  const opening = Array.from({ length: CONNECTIONS }, () => LoadConnection.open(port));
  connectionsByPort.set(port, await Promise.all(opening));
}
answerParent((question: string) => {
  const [port, roundMs] = question.split(" ").map(Number) as [number, number];
  return closedLoop(connectionsByPort.get(port) ?? [], nextRequest, roundMs);
});
tellParent("connected");
