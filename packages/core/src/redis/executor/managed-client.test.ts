import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { CallFailure } from "./call-failure";
import type { RedisClient } from "./client";
import type { ScriptCall } from "./executor";
import { ManagedClient } from "./managed-client";

const script = { name: "test", source: "", sha: "", plainSource: "", plainSha: "" };
const call: ScriptCall = { script, keys: ["k"], argument: "" };

/** Has the members of a client of node-redis, and replies with its name. */
class StubClient {
  isOpen = false;
  isReady = false;
  readonly options = {};
  readonly log: string[] = [];
  readonly #name: string;
  readonly #connects: boolean;
  readonly #listeners = new Map<string, ((...args: unknown[]) => void)[]>();

  constructor(name: string, connects = true) {
    this.#name = name;
    this.#connects = connects;
  }

  on(event: string, listener: (...args: unknown[]) => void) {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  off(event: string, listener: (...args: unknown[]) => void) {
    const others = this.#listeners.get(event)?.filter((each) => each !== listener);
    this.#listeners.set(event, others ?? []);
  }

  listenerCount(event: string): number {
    return this.#listeners.get(event)?.length ?? 0;
  }

  emit(event: string, ...args: unknown[]) {
    for (const listener of this.#listeners.get(event) ?? []) listener(...args);
  }

  connect(): Promise<unknown> {
    this.log.push("connect");
    this.isOpen = true;
    if (!this.#connects) return new Promise(() => {});
    this.isReady = true;
    return Promise.resolve(this);
  }

  evalSha(): Promise<unknown> {
    return Promise.resolve(this.#name);
  }

  eval(): Promise<unknown> {
    return this.evalSha();
  }

  close(): Promise<unknown> {
    this.log.push("close");
    return new Promise(() => {});
  }

  destroy() {
    this.log.push("destroy");
    this.isOpen = false;
    this.isReady = false;
  }
}

/** What `connect` does, call by call; the last one again and again. */
type Step = StubClient | Error | Promise<StubClient>;

function setClient(steps: readonly Step[], closesClient = true) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const ready: string[] = [];
  let connects = 0;
  const executor = new ManagedClient({
    connect: () => {
      const step = steps[Math.min(connects, steps.length - 1)];
      connects += 1;
      if (step instanceof Error || step === undefined) throw step;
      return step as unknown as RedisClient;
    },
    closesClient,
    clock,
    random: seededRandom(1),
    onError: (error) => errors.push(error),
    onReady: (node) => ready.push(node),
  });
  const outcome = async () => {
    const reply = executor.run(call).catch((failure: unknown) => failure);
    await clock.advanceAsync(0);
    return reply;
  };
  return { clock, errors, ready, executor, outcome, connects: () => connects };
}

const notSent = { code: "SLUICE_STORE_UNREACHABLE", isRetryable: true };

describe("The first client", () => {
  it("is there at once when connect returns it, and is connected once", async () => {
    const client = new StubClient("a");
    const { executor, outcome } = setClient([client]);
    expect([executor.isCluster, executor.nodeOf(0)]).toEqual([false, "server"]);
    expect(await outcome()).toMatchObject(notSent);
    expect(await outcome()).toBe("a");
    expect(client.log).toEqual(["connect"]);
  });

  it("is waited for when connect promises it; calls fail at once until then", async () => {
    const { executor, outcome } = setClient([Promise.resolve(new StubClient("a"))]);
    expect([executor.isCluster, executor.nodeOf(0)]).toEqual([true, "unknown"]);
    const failure = await executor.run(call).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CallFailure);
    await outcome();
    expect(await outcome()).toBe("a");
  });

  it("is asked for again after 500 ms, then twice that, to 5 s, while connect fails", async () => {
    const failing = new Error("no");
    const { clock, errors, connects } = setClient([failing]);
    const at: number[] = [];
    for (let seen = connects(); clock.nowMs() < 30_000; ) {
      await clock.advanceAsync(1);
      if (connects() === seen) continue;
      seen = connects();
      at.push(clock.nowMs());
    }
    const pauses = at.map((ms, index) => ms - (at[index - 1] ?? 0));
    const longest = [500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000];
    for (const [index, most] of longest.entries()) {
      expect(pauses[index]).toBeLessThanOrEqual(most);
      expect(pauses[index]).toBeGreaterThanOrEqual(most * 0.75);
    }
    expect(errors.every((error) => error === failing)).toBe(true);
  });

  it("is taken once connect no longer rejects", async () => {
    const rejected = Promise.reject(new Error("no"));
    const { clock, outcome } = setClient([rejected, new StubClient("a")]);
    await clock.advanceAsync(600);
    expect(await outcome()).toBe("a");
  });

  it("must be a client: what else connect returns is an error, and it is asked again", async () => {
    const nothing = {} as unknown as StubClient;
    const { clock, errors, outcome } = setClient([nothing, new StubClient("a")]);
    expect(String(errors[0])).toContain("Expected connect to return a client of ioredis or of");
    await clock.advanceAsync(600);
    expect(await outcome()).toBe("a");
  });

  it("has its errors passed on, and never has none that listens for them", async () => {
    const client = new StubClient("a");
    const { errors, executor } = setClient([client]);
    client.emit("error", "lost");
    expect(errors).toEqual(["lost"]);
    const closing = executor.close();
    client.emit("error", "lost again");
    expect(errors).toEqual(["lost"]);
    expect(client.listenerCount("error")).toBeGreaterThan(0);
    expect(closing).toBeInstanceOf(Promise);
  });
});

describe("A client in trouble", () => {
  it("is replaced by one that becomes ready, and dropped a second later", async () => {
    const [old, next] = [new StubClient("old"), new StubClient("next")];
    const { clock, executor, outcome, ready } = setClient([old, next]);
    await outcome();
    expect(await outcome()).toBe("old");
    executor.reportTrouble();
    await clock.advanceAsync(10);
    expect(await outcome()).toBe("next");
    expect(ready).toEqual(["server"]);
    expect(old.log).toEqual(["connect"]);
    await clock.advanceAsync(1_000);
    expect([old.log, next.log]).toEqual([["connect", "destroy"], ["connect"]]);
  });

  it("serves on until one of those that are tried every 500 ms is ready within 1 s", async () => {
    const hung = [new StubClient("hung 1", false), new StubClient("hung 2", false)] as const;
    const steps = [new StubClient("old"), ...hung, new Error("no"), new StubClient("next")];
    const { clock, connects, executor, outcome } = setClient(steps);
    executor.reportTrouble();
    executor.reportTrouble();
    await clock.advanceAsync(990);
    expect([connects(), hung[0].log]).toEqual([2, ["connect"]]);
    await clock.advanceAsync(20);
    expect(hung[0].log).toEqual(["connect", "destroy"]);
    expect(await outcome()).toBe("old");
    await clock.advanceAsync(1_520);
    expect([connects(), hung[1].log]).toEqual([3, ["connect", "destroy"]]);
    await clock.advanceAsync(1_000);
    expect([connects(), await outcome()]).toEqual([5, "next"]);
  });

  it("is kept when connect returns it once more, and asked for at most every 500 ms", async () => {
    const client = new StubClient("a");
    const { clock, connects, executor, outcome } = setClient([client]);
    await outcome();
    for (let ms = 0; ms < 2_000; ms += 10) {
      executor.reportTrouble();
      await clock.advanceAsync(10);
    }
    expect(connects()).toBeLessThanOrEqual(6);
    expect(client.log).toEqual(["connect"]);
    expect(await outcome()).toBe("a");
  });

  it("that has closed for good is connected or replaced without a report", async () => {
    const client = new StubClient("a");
    const { clock, outcome } = setClient([client]);
    await outcome();
    client.destroy();
    expect(await outcome()).toMatchObject(notSent);
    await clock.advanceAsync(10);
    expect(client.log).toEqual(["connect", "destroy", "connect"]);
    expect(await outcome()).toBe("a");
  });

  it("is not waited for when connect promises too much; what comes late is dropped", async () => {
    let resolve: (client: StubClient) => void = () => {};
    const late = new StubClient("late");
    const promised = new Promise<StubClient>((done) => {
      resolve = done;
    });
    const steps = [new StubClient("old"), promised, new StubClient("next")];
    const { clock, executor, outcome } = setClient(steps);
    executor.reportTrouble();
    await clock.advanceAsync(1_600);
    expect(await outcome()).toBe("next");
    resolve(late);
    await clock.advanceAsync(10);
    expect(late.log).toEqual(["destroy"]);
    expect(await outcome()).toBe("next");
  });

  it("is left open when it is not the store's to close", async () => {
    const [old, hung] = [new StubClient("old"), new StubClient("hung", false)];
    const { clock, executor, outcome } = setClient([old, hung, new StubClient("next")], false);
    executor.reportTrouble();
    await clock.advanceAsync(5_000);
    expect(await outcome()).toBe("next");
    expect([old.log, hung.log]).toEqual([["connect"], ["connect"]]);
  });
});

describe("Closing", () => {
  it("lets calls be answered for a second, then drops the client; once", async () => {
    const client = new StubClient("a");
    const { clock, executor, outcome } = setClient([client]);
    await outcome();
    const closing = executor.close();
    expect(executor.close()).toBe(closing);
    expect(client.log).toEqual(["connect", "close"]);
    await clock.advanceAsync(1_000);
    await closing;
    expect(client.log).toEqual(["connect", "close", "destroy"]);
  });

  it("ends all tries", async () => {
    const { clock, connects, executor } = setClient([new Error("no")]);
    await executor.close();
    await clock.advanceAsync(20_000);
    expect([connects(), clock.pendingTimers]).toEqual([1, 0]);
  });

  it("drops a client that comes afterwards", async () => {
    const client = new StubClient("a");
    const { clock, executor } = setClient([Promise.resolve(client)]);
    await executor.close();
    await clock.advanceAsync(10);
    expect(client.log).toEqual(["destroy"]);
  });

  it("drops a client that is being built", async () => {
    const [old, next] = [new StubClient("old"), new StubClient("next", false)];
    const { clock, executor } = setClient([old, next]);
    executor.reportTrouble();
    await clock.advanceAsync(500);
    const closing = executor.close();
    await clock.advanceAsync(5_000);
    await closing;
    expect([old.log.at(-1), next.log.at(-1)]).toEqual(["destroy", "destroy"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
