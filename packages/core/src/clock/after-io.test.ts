import { describe, expect, it } from "vitest";
import { systemAfterIo } from "./after-io";

describe("What runs after I/O", () => {
  it("runs once, later, and in the order in which it was asked for", async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      systemAfterIo(() => order.push("first"));
      systemAfterIo(() => {
        order.push("second");
        resolve();
      });
      void Promise.resolve().then(() => order.push("promises"));
      order.push("now");
    });
    expect(order).toEqual(["now", "promises", "first", "second"]);
  });
});
