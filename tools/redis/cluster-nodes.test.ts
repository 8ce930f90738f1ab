import { describe, expect, it } from "vitest";
import { ownerOf, readClusterNodes } from "./cluster-nodes";

const text = [
  "a1 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-99 101 [100->-b2]",
  "b2 127.0.0.1:7002@17002,host master,fail? - 0 0 2 connected 102-16383",
  "c3 127.0.0.1:7003@17003 slave a1 0 0 1 connected",
  "",
].join("\n");

describe("what a node says about the cluster", () => {
  it("is read line by line", () => {
    expect(readClusterNodes(text)).toEqual([
      {
        id: "a1",
        port: 7001,
        isMaster: true,
        isDoubtful: false,
        masterId: undefined,
        slots: [
          [0, 99],
          [101, 101],
        ],
      },
      {
        id: "b2",
        port: 7002,
        isMaster: true,
        isDoubtful: true,
        masterId: undefined,
        slots: [[102, 16_383]],
      },
      { id: "c3", port: 7003, isMaster: false, isDoubtful: false, masterId: "a1", slots: [] },
    ]);
  });

  it("tells who serves a slot", () => {
    const nodes = readClusterNodes(text);
    expect(ownerOf(nodes, 101)?.id).toBe("a1");
    expect(ownerOf(nodes, 100)).toBeUndefined();
    expect(ownerOf(nodes, 16_383)?.id).toBe("b2");
  });
});
