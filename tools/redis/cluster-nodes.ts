/** One node as another one sees it. */
export interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly isMaster: boolean;
  /** Failed, perhaps failed, or not yet known: anything but a node in good standing. */
  readonly isDoubtful: boolean;
  /** The id of its master, for a replica. */
  readonly masterId: string | undefined;
  /** First and last slot of each range it serves. */
  readonly slots: readonly (readonly [first: number, last: number])[];
}

const DOUBTFUL = ["fail", "fail?", "handshake", "noaddr"];

/** Reads the reply to `CLUSTER NODES`. Never throws for what a server sends. */
export function readClusterNodes(text: string): readonly ClusterNode[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(readLine);
}

/** id, address, flags, master, ping, pong, epoch, link, and then the slots. */
function readLine(line: string): ClusterNode {
  const [id = "", address = "", flagText = "", masterId = "", , , , , ...slots] = line.split(" ");
  const flags = flagText.split(",");
  return {
    id,
    port: Number(/:(\d+)/.exec(address)?.[1]),
    isMaster: flags.includes("master"),
    isDoubtful: flags.some((flag) => DOUBTFUL.includes(flag)),
    masterId: masterId === "-" ? undefined : masterId,
    // A slot on its way to another node is listed once more, in brackets.
    slots: slots.filter((range) => !range.startsWith("[")).map(readRange),
  };
}

function readRange(text: string): readonly [number, number] {
  const [first = Number.NaN, last = first] = text.split("-").map(Number);
  return [first, last];
}

/** The node that serves a slot, by this view. */
export function ownerOf(nodes: readonly ClusterNode[], slot: number): ClusterNode | undefined {
  return nodes.find(({ slots }) => slots.some(([first, last]) => first <= slot && slot <= last));
}
