import type { RequestListener, ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createUpstreams,
  type Outcome,
  RejectedError,
  type SluiceEvent,
  type Upstream,
  type UpstreamFetchOptions,
  type UpstreamsOptions,
  upstreamFetch,
} from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpServer, serve, until } from "../../../test/outbound/http-server";
import { SettableLimit } from "../../../test/settable-limit";

let server: HttpServer;
let door: Upstream;
let limit: SettableLimit;
let events: SluiceEvent[];

interface Setting {
  readonly upstreams?: Partial<UpstreamsOptions>;
  readonly options?: UpstreamFetchOptions<typeof fetch>;
}

/** A server, and a fetch that passes the door before it. */
async function open(listener: RequestListener, { upstreams, options }: Setting = {}) {
  server = await serve(listener);
  limit = new SettableLimit(5);
  events = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const registry = createUpstreams({
    maxInFlight: () => limit,
    throttle: false,
    recorder,
    ...upstreams,
  });
  door = registry.upstream({ route: "test" });
  return upstreamFetch(fetch, door, options);
}

const inFlight = () => door.stats().inFlight;

/** How the calls that have ended did, in order. */
function outcomes(): Outcome[] {
  return events.flatMap((event) => (event.type === "gate_ended" ? [event.outcome] : []));
}

/** Whether a first byte was marked, by call. */
function firstBytes(): boolean[] {
  return events.flatMap((event) =>
    event.type === "gate_ended" ? [event.firstByteMs !== undefined] : [],
  );
}

afterEach(async () => {
  await until("nothing is in flight", () => inFlight() === 0);
  await server.close();
});

describe("a call holds its slot", () => {
  it("until its body has arrived, and marks the first byte", async () => {
    let answer: ServerResponse | undefined;
    const call = await open((_req, res) => {
      res.write("first ");
      answer = res;
    });
    const response = await call(server.url);
    expect(inFlight()).toBe(1);
    const text = response.text();
    answer?.end("last");
    expect(await text).toBe("first last");
    expect(inFlight()).toBe(0);
    expect([outcomes(), firstBytes()]).toEqual([["success"], [true]]);
    expect(limit.samples).toHaveLength(1);
  });

  it("no longer than its body takes, although nobody reads it, if that is short", async () => {
    const call = await open((_req, res) => res.end("x".repeat(60_000)));
    const response = await call(server.url);
    await until("the body has arrived", () => inFlight() === 0);
    expect(outcomes()).toEqual(["success"]);
    expect(await response.text()).toHaveLength(60_000);
  });

  it("while nobody reads a long body, and back-pressure reaches the server", async () => {
    let sent = 0;
    const call = await open((_req, res) => {
      const send = () => {
        while (sent < 200 && !res.destroyed) {
          sent += 1;
          if (!res.write(Buffer.alloc(1_000_000))) return void res.once("drain", send);
        }
        res.end();
      };
      send();
    });
    const response = await call(server.url);
    await until("the server has begun", () => sent > 0);
    expect(inFlight()).toBe(1);
    expect(sent).toBeLessThan(100);
    await response.body?.cancel();
    expect(inFlight()).toBe(0);
    expect(outcomes()).toEqual(["ignored"]);
  });

  it.each([
    { what: "HEAD", method: "HEAD", status: 200 },
    { what: "204", method: "GET", status: 204 },
    { what: "304", method: "GET", status: 304 },
    { what: "an empty body", method: "GET", status: 200 },
  ])("until the headers for $what, without anybody reading", async ({ method, status }) => {
    const call = await open((_req, res) => {
      res.statusCode = status;
      res.end();
    });
    const response = await call(server.url, { method });
    expect(response.status).toBe(status);
    await until("it has ended", () => inFlight() === 0);
    expect(outcomes()).toEqual(["success"]);
    expect(await response.text()).toBe("");
  });

  it("once for a chain of redirects, and the response tells where it led", async () => {
    const call = await open((req, res) => {
      if (req.url === "/end") return void res.end("here");
      res.writeHead(302, { location: "/end" });
      res.end();
    });
    const response = await call(server.url);
    expect([response.redirected, response.url]).toEqual([true, `${server.url}end`]);
    expect(await response.text()).toBe("here");
    expect(outcomes()).toEqual(["success"]);
    const unfollowed = await call(server.url, { redirect: "manual" });
    expect(unfollowed.status).toBe(302);
  });

  it("until both clones are read, each of which gets the whole body", async () => {
    const call = await open((_req, res) => res.end("twice"));
    const response = await call(server.url);
    const clone = response.clone();
    expect([clone.url, clone.type]).toEqual([server.url, response.type]);
    expect([await clone.text(), await response.text()]).toEqual(["twice", "twice"]);
    expect(outcomes()).toEqual(["success"]);
  });

  it("until it is found that nobody can read it any more", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const call = await open((_req, res) => {
      res.on("error", () => {});
      const send = () => {
        if (res.destroyed) return;
        res.write(Buffer.alloc(100_000));
        setImmediate(send);
      };
      send();
    });
    const forget = async () => void (await call(server.url));
    await forget();
    await until("it has ended", () => {
      collect();
      return inFlight() === 0;
    });
    expect(outcomes()).toEqual(["ignored"]);
  });
});

describe("a response", () => {
  it("is the one that the server sent: class, status, headers, body in any form", async () => {
    const call = await open((_req, res) => {
      res.writeHead(201, "Made", { "x-one": "1", "set-cookie": ["a=1", "b=2"] });
      res.end('{"a":1}');
    });
    const response = await call(server.url);
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.statusText, response.ok]).toEqual([201, "Made", true]);
    expect([response.url, response.type, response.redirected]).toEqual([
      server.url,
      "basic",
      false,
    ]);
    expect(response.headers.get("x-one")).toBe("1");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.bodyUsed).toBe(false);
    expect(await response.json()).toEqual({ a: 1 });
    expect(response.bodyUsed).toBe(true);
  });

  it.each([
    { status: 999, text: "Denied", ok: false },
    { status: 600, text: "", ok: false },
    { status: 200, text: "Tr\u00e8s bien", ok: true },
  ])("comes as it is, also with what nobody could make: $status $text", async (row) => {
    const call = await open((_req, res) => {
      res.writeHead(row.status, row.text, { connection: "close" }).end("text");
    });
    const plain = await fetch(server.url);
    const response = await call(server.url);
    const { status, statusText, ok } = response.clone();
    expect({ status, statusText, ok }).toEqual({
      status: row.status,
      statusText: plain.statusText,
      ok: row.ok,
    });
    expect([response.status, response.statusText, response.ok]).toEqual([status, statusText, ok]);
    expect(await response.text()).toBe(await plain.text());
  });

  it("that nobody gets, because outcomeOf throws, gives its connection back", async () => {
    let isClosed = false;
    const outcomeOf = () => {
      throw new Error("mine");
    };
    const call = await open(
      (_req, res) => {
        res.write("begin");
        res.once("close", () => {
          isClosed = true;
        });
      },
      { options: { outcomeOf } },
    );
    await expect(call(server.url)).rejects.toThrow("mine");
    expect(outcomes()).toEqual(["ignored"]);
    await until("the connection is closed", () => isClosed);
  });

  it("can be read chunk by chunk, also into a buffer of the reader's", async () => {
    const call = await open((_req, res) => res.end("0123456789"));
    const reader = (await call(server.url)).body?.getReader({ mode: "byob" });
    const parts: string[] = [];
    for (;;) {
      const part = await reader?.read(new Uint8Array(4));
      if (part === undefined || part.done) break;
      parts.push(Buffer.from(part.value).toString());
    }
    expect(parts.join("")).toBe("0123456789");
    expect(outcomes()).toEqual(["success"]);
  });

  it("that was read by a fetch inside passes as it is", async () => {
    await open((_req, res) => res.end("read"));
    const inner = async (url: string) => {
      const response = await fetch(url);
      response.body?.getReader();
      return response;
    };
    const response = await upstreamFetch(inner, door)(server.url);
    expect(response.body?.locked).toBe(true);
    expect(outcomes()).toEqual(["success"]);
  });

  it("with chunks from a pool of memory leaves the pool alone", async () => {
    await open((_req, res) => res.end());
    const pool = new Uint8Array(100).fill(7);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(pool.subarray(10, 20));
        controller.close();
      },
    });
    const response = await upstreamFetch(async (_url: string) => new Response(body), door)("");
    expect((await response.arrayBuffer()).byteLength).toBe(10);
    expect(pool.byteLength).toBe(100);
  });

  it("whose body is no stream of the web is refused as a mistake, and holds nothing", async () => {
    await open((_req, res) => res.end());
    const foreign = async (_url: string) => ({ status: 200, headers: new Headers(), body: {} });
    await expect(upstreamFetch(foreign, door)("")).rejects.toThrow("a ReadableStream of the web");
    expect(outcomes()).toEqual(["ignored"]);
  });
});

describe("the outcome", () => {
  it.each([
    [200, "success"],
    [404, "success"],
    [400, "success"],
    [500, "ignored"],
    [501, "ignored"],
    [429, "dropped"],
    [502, "dropped"],
    [503, "dropped"],
    [504, "dropped"],
    [529, "dropped"],
  ])("of status %d is %s, whether the body is read or cancelled", async (status, outcome) => {
    const call = await open((_req, res) => {
      res.statusCode = status;
      res.end("text");
    });
    await (await call(server.url)).text();
    await (await call(server.url)).body?.cancel();
    await until("both have ended", () => outcomes().length === 2);
    expect(outcomes()[0]).toBe(outcome);
    expect(firstBytes()[0]).toBe(outcome === "success");
    if (outcome === "dropped") expect(outcomes()[1]).toBe("dropped");
  });

  it("is what the user says, if he does", async () => {
    const outcomeOf = ({ status }: Response) => (status === 500 ? "dropped" : "ignored");
    const call = await open((_req, res) => res.writeHead(500).end(), { options: { outcomeOf } });
    await (await call(server.url)).text();
    expect(outcomes()).toEqual(["dropped"]);
  });

  it("of a refused connection is dropped", async () => {
    const call = await open((_req, res) => res.end());
    const gone = await serve((_req, res) => res.end());
    await gone.close();
    await expect(call(gone.url)).rejects.toThrow("fetch failed");
    expect(outcomes()).toEqual(["dropped"]);
  });

  it("of an address that is none is ignored", async () => {
    const call = await open((_req, res) => res.end());
    await expect(call("not an address")).rejects.toThrow(TypeError);
    expect(outcomes()).toEqual(["ignored"]);
  });

  it.each([
    ["a header with a bad name", { headers: { "bad name": "x" } }],
    ["a body with GET", { body: "x" }],
    ["a method that is not allowed", { method: "TRACE" }],
  ])("of a call that cannot be made is ignored: %s", async (_what, init) => {
    const call = await open((_req, res) => res.end());
    await expect(call(server.url, init)).rejects.toThrow(TypeError);
    expect([outcomes(), server.requests()]).toEqual([["ignored"], 0]);
  });

  it("of a request whose body is used up is ignored, of a failure without a cause dropped", async () => {
    const call = await open((_req, res) => res.end());
    const request = new Request(server.url, { method: "POST", body: "x" });
    await request.text();
    await expect(call(request)).rejects.toThrow(TypeError);
    const failing = upstreamFetch(async (_url: string) => {
      throw new TypeError("fetch failed");
    }, door);
    await expect(failing(server.url)).rejects.toThrow("fetch failed");
    expect(outcomes()).toEqual(["ignored", "dropped"]);
  });

  it("of an abort before the headers is ignored, and the reason comes through", async () => {
    const call = await open(() => {});
    const leaving = new AbortController();
    const response = call(server.url, { signal: leaving.signal });
    await until("the server has it", () => server.requests() === 1);
    leaving.abort(new Error("gone"));
    await expect(response).rejects.toThrow("gone");
    expect(outcomes()).toEqual(["ignored"]);
  });

  it("of an abort in mid-stream is ignored, with the signal of a request too", async () => {
    const call = await open((_req, res) => void res.write("begin"));
    const leaving = new AbortController();
    const response = await call(new Request(server.url, { signal: leaving.signal }));
    const text = response.text();
    leaving.abort();
    await expect(text).rejects.toThrow(/abort/i);
    expect(outcomes()).toEqual(["ignored"]);
  });

  it.each(["before the headers", "in mid-stream"])("of a time-out %s is dropped", async (when) => {
    const call = await open((_req, res) => {
      if (when === "in mid-stream") res.write("begin");
    });
    const answer = call(server.url, { signal: AbortSignal.timeout(50) });
    await expect(answer.then((response) => response.text())).rejects.toThrow(/timeout/i);
    expect(outcomes()).toEqual(["dropped"]);
  });

  it("of a connection that breaks in mid-stream is dropped", async () => {
    const call = await open((_req, res) => res.write("begin", () => res.destroy()));
    const response = await call(server.url);
    await expect(response.text()).rejects.toThrow();
    expect(outcomes()).toEqual(["dropped"]);
  });

  it("of a reader that has enough is ignored, and the connection is given up", async () => {
    const call = await open((_req, res) => void res.write("begin"));
    for await (const _chunk of (await call(server.url)).body ?? []) break;
    expect(outcomes()).toEqual(["ignored"]);
    await until("the connection is closed", () => inFlight() === 0);
  });
});

describe("Retry-After", () => {
  it("of a 429 becomes a pause; the next call is refused without being made", async () => {
    const call = await open((_req, res) => res.writeHead(429, { "retry-after": "7" }).end("no"));
    await (await call(server.url)).text();
    const refused: unknown = await call(server.url).catch((error: unknown) => error);
    if (!(refused instanceof RejectedError)) throw new Error("expected a RejectedError");
    const { rejection } = refused.verdict;
    expect(rejection.reason).toBe("paused");
    expect(rejection.retryAfterMs).toBeGreaterThan(6000);
    expect(rejection.retryAfterMs).toBeLessThanOrEqual(7000);
    expect(server.requests()).toBe(1);
  });

  it.each([
    { status: 503, headers: { "retry-after": "7" }, isPaused: true, grows: true },
    { status: 429, headers: { "retry-after-ms": "7000" }, isPaused: true, grows: false },
    { status: 429, headers: {}, isPaused: false, grows: false },
    { status: 200, headers: { "retry-after": "7" }, isPaused: false, grows: true },
    { status: 301, headers: { "retry-after": "7" }, isPaused: false, grows: true },
  ])("of $status with $headers: paused $isPaused, the limit may grow $grows", async (row) => {
    const call = await open((_req, res) => res.writeHead(row.status, row.headers as never).end());
    await (await call(server.url, { redirect: "manual" })).text();
    limit.set(9);
    const { pausedForMs, limit: now } = door.stats();
    expect([pausedForMs > 6000, now]).toEqual([row.isPaused, row.grows ? 9 : 5]);
  });
});

describe("a call that is refused", () => {
  it("is not made, and its caller hears why", async () => {
    const setting = { upstreams: { maxInFlight: 1, queue: { max: 0 } } };
    let answer: ServerResponse | undefined;
    const call = await open((_req, res) => {
      answer = res;
    }, setting);
    const first = call(server.url);
    await until("the server has it", () => answer !== undefined);
    const refused = await call(server.url).catch((error: RejectedError) => error.verdict);
    expect(refused).toMatchObject({ rejection: { reason: "queue_full" } });
    answer?.end();
    await (await first).text();
    expect(server.requests()).toBe(1);
  });

  it("by an abort in the queue fails with the reason of the signal, as fetch does", async () => {
    const setting = { upstreams: { maxInFlight: 1 } };
    let answer: ServerResponse | undefined;
    const call = await open((_req, res) => {
      answer = res;
    }, setting);
    const first = call(server.url);
    await until("the server has it", () => answer !== undefined);
    const leaving = new AbortController();
    const waiting = call(server.url, { signal: leaving.signal });
    await until("it waits", () => door.stats().queued === 1);
    leaving.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    answer?.end();
    await (await first).text();
  });

  it("says what the user says of it: a retry beyond the budget", async () => {
    const enter = (_url: unknown, init?: RequestInit) => ({
      attempt: Number(new Headers(init?.headers).get("x-attempt") ?? 1),
    });
    const setting = { options: { enter }, upstreams: { retryBudget: { min: 0, share: 0 } } };
    const call = await open((_req, res) => res.end(), setting as Setting);
    const refused = call(server.url, { headers: { "x-attempt": "2" } });
    await expect(refused).rejects.toThrow("retry_budget_exhausted");
    await (await call(server.url)).text();
  });
});

it("finds the upstream by the call", async () => {
  await open((_req, res) => res.end());
  const registry = createUpstreams({ maxInFlight: 1 });
  const byModel = upstreamFetch(fetch, (_url, init) =>
    registry.upstream({ model: JSON.parse(String(init?.body)).model }),
  );
  for (const model of ["a", "b"]) {
    await byModel(server.url, { method: "POST", body: JSON.stringify({ model }) });
  }
  expect(registry.stats().map(({ key }) => key.model)).toEqual(["a", "b"]);
});

it.each([
  [undefined, {}, {}, /fetch.*upstream/s],
  [fetch, {}, {}, /upstream/],
  [fetch, () => door, { enters: () => ({}) }, /enters/],
  [fetch, () => door, { outcomeOf: "dropped" }, /outcomeOf/],
])("refuses bad arguments", async (given, to, options, message) => {
  await open((_req, res) => res.end());
  expect(() => upstreamFetch(given as never, to as never, options as never)).toThrow(message);
});
