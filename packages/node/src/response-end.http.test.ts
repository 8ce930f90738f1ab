import type { RequestListener, Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { Ends } from "../test/ends";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { markDropped } from "./outcome";
import { whenResponseEnds, whenSocketEnds } from "./response-end";

let server: TestServer<Server>;
let ends: Ends;

async function serve(listener: RequestListener): Promise<void> {
  ends = new Ends();
  server = await startHttp((req, res) => {
    ends.follow(req, res);
    listener(req, res);
  });
}

afterEach(async () => {
  await server.close();
  // Whatever a test did, closing the connections is the last sign there can be.
  await until("every response is over", () => ends.inFlight === 0);
});

describe("an HTTP/1.1 response ends", () => {
  it("R021: once and with success, although close follows finish, over one kept connection", async () => {
    await serve((_req, res) => res.end("ok"));
    const client = await rawClient(server.port);
    for (const path of ["/1", "/2", "/3"]) {
      client.send(request(path));
      await ends.untilOver(path);
    }
    client.socket.destroy();
    await until("the server has noticed", () => server.connections[0]?.closed === true);
    expect(ends.all).toEqual(["success", "success", "success"]);
  });

  it("with success when the connection closes behind it", async () => {
    await serve((_req, res) => res.end("ok"));
    const client = await rawClient(server.port);
    client.send(request("/", { head: "Connection: close\r\n" }));
    await until("the server has closed", () => server.connections[0]?.closed === true);
    expect(ends.of("/")).toEqual(["success"]);
  });

  it("with success for HEAD and for 204", async () => {
    await serve((req, res) => {
      res.statusCode = req.url === "/204" ? 204 : 200;
      res.end("not sent");
    });
    const client = await rawClient(server.port);
    client.send(request("/head", { method: "HEAD" }));
    await ends.untilOver("/head");
    client.send(request("/204"));
    await ends.untilOver("/204");
    expect(ends.all).toEqual(["success", "success"]);
  });

  it("R025: after the answer, not when the request's body has been read and the request closes", async () => {
    let answer: () => void = () => {};
    let isRequestClosed = false;
    await serve((req, res) => {
      req.resume().once("close", () => {
        isRequestClosed = true;
        answer = () => res.end("ok");
      });
    });
    const client = await rawClient(server.port);
    client.send(request("/post", { method: "POST", body: "hi" }));
    await until("the request has closed", () => isRequestClosed);
    expect(ends.inFlight).toBe(1);
    answer();
    await ends.untilOver("/post");
    expect(ends.of("/post")).toEqual(["success"]);
  });

  it.each([
    ["read", true],
    ["not read", false],
  ])("as ignored when the client leaves before the answer, its body %s", async (_, reads) => {
    let isHandling = false;
    await serve((req) => {
      if (reads) req.resume();
      isHandling = true;
    });
    const client = await rawClient(server.port);
    client.send(request("/post", { method: "POST", body: "hi" }));
    await until("the handler runs", () => isHandling);
    client.socket.destroy();
    await ends.untilOver("/post");
    expect(ends.of("/post")).toEqual(["ignored"]);
  });

  it("as ignored, once, when the client half-closes, although the handler answers later", async () => {
    let answer: () => void = () => {};
    await serve((_req, res) => {
      answer = () => res.end("late");
    });
    const client = await rawClient(server.port);
    client.send(request("/half"));
    client.socket.end();
    await ends.untilOver("/half");
    answer();
    await until("the connection is over", () => server.connections[0]?.closed === true);
    expect(ends.of("/half")).toEqual(["ignored"]);
  });

  it("as ignored when the client leaves in the middle of the answer", async () => {
    await serve((_req, res) => void res.write("first"));
    const client = await rawClient(server.port);
    client.send(request("/stream"));
    await client.receives("first");
    client.socket.destroy();
    await ends.untilOver("/stream");
    expect(ends.of("/stream")).toEqual(["ignored"]);
  });

  it.each(["destroy", "resetAndDestroy"] as const)(
    "as ignored when the client does not take an answer that has been ended (%s)",
    async (leave) => {
      let hasEnded = false;
      await serve((_req, res) => {
        res.end(Buffer.alloc(50_000_000));
        hasEnded = true;
      });
      const client = await rawClient(server.port, { reads: false });
      client.send(request("/big"));
      await until("the handler has ended the answer", () => hasEnded);
      client.socket[leave]();
      await ends.untilOver("/big");
      expect(ends.of("/big")).toEqual(["ignored"]);
    },
  );

  it("with success when the client half-closes during the answer and takes all of it", async () => {
    let hasEnded = false;
    await serve((_req, res) => {
      res.end(Buffer.alloc(20_000_000));
      hasEnded = true;
    });
    const client = await rawClient(server.port, { reads: false });
    client.send(request("/big"));
    await until("the handler has ended the answer", () => hasEnded);
    client.socket.end();
    client.socket.resume();
    await ends.untilOver("/big");
    expect(ends.of("/big")).toEqual(["success"]);
  });

  it("as ignored when the server breaks it off", async () => {
    await serve((_req, res) => {
      res.write("some");
      res.destroy();
    });
    (await rawClient(server.port)).send(request("/broken"));
    await ends.untilOver("/broken");
    expect(ends.of("/broken")).toEqual(["ignored"]);
  });

  it.each([
    ["GET", ""],
    ["POST", "hi"],
  ])(
    "R015: with the socket, pipelined behind a slow one and never sent (%s)",
    async (method, body) => {
      let hasAnsweredSecond = false;
      await serve((req, res) => {
        if (req.url === "/1") return;
        // With its body read, not even the request of the second emits anything any more.
        req.resume().once("end", () => {
          res.end("never sent");
          hasAnsweredSecond = true;
        });
      });
      const client = await rawClient(server.port);
      client.send(request("/1") + request("/2", { method, body }));
      await until("the second is answered", () => hasAnsweredSecond);
      expect(ends.inFlight).toBe(2);
      client.socket.destroy();
      await until("both are over", () => ends.inFlight === 0);
      expect(ends.of("/1")).toEqual(["ignored"]);
      expect(ends.of("/2")).toEqual(["ignored"]);
    },
  );

  it("in turn when pipelined and answered", async () => {
    await serve((_req, res) => res.end("ok"));
    const client = await rawClient(server.port);
    client.send(request("/1") + request("/2") + request("/3"));
    await ends.untilOver("/3");
    expect(ends.all).toEqual(["success", "success", "success"]);
  });
});

describe("the outcome of a whole answer", () => {
  it.each([
    [200, "success"],
    [404, "success"],
    [429, "success"],
    [500, "success"],
    [502, "success"],
    [503, "dropped"],
    [504, "dropped"],
  ])("is, with status %d, %s", async (status, outcome) => {
    await serve((_req, res) => {
      res.statusCode = status;
      res.end();
    });
    await fetch(server.origin);
    await ends.untilOver("/");
    expect(ends.of("/")).toEqual([outcome]);
  });

  it("is dropped if the handler says so", async () => {
    await serve((_req, res) => {
      markDropped(res);
      res.end("from the fallback");
    });
    await fetch(server.origin);
    await ends.untilOver("/");
    expect(ends.of("/")).toEqual(["dropped"]);
  });
});

describe("following a response late", () => {
  it("calls back at once when it is over", async () => {
    const outcomes: string[] = [];
    await serve((_req, res) => {
      res.end("ok");
      res.once("close", () => whenResponseEnds(res, (outcome) => outcomes.push(outcome)));
    });
    await fetch(server.origin);
    await ends.untilOver("/");
    expect(outcomes).toEqual(["success"]);
  });

  it("calls back at once when the client has left, also for a pipelined response", async () => {
    const late: string[] = [];
    const follows: (() => void)[] = [];
    await serve((req, res) => {
      follows.push(() => whenResponseEnds(res, (outcome) => late.push(`${req.url} ${outcome}`)));
    });
    const client = await rawClient(server.port);
    client.send(request("/1") + request("/2"));
    await until("both have come", () => follows.length === 2);
    client.socket.destroy();
    await ends.untilOver("/2");
    for (const follow of follows) follow();
    expect(late).toEqual(["/1 ignored", "/2 ignored"]);
  });
});

describe("listeners", () => {
  it("do not gather on a connection that carries thousands of requests", async () => {
    await serve((_req, res) => res.end());
    const client = await rawClient(server.port);
    const ask = async (count: number) => {
      const wanted = ends.all.length + count;
      client.send(request("/").repeat(count));
      await until("all are over", () => ends.all.length === wanted);
    };
    const listeners = () => {
      const socket = server.connections[0];
      return socket?.eventNames().map((name) => [name, socket.listenerCount(name)]);
    };
    // The first that are pipelined add the one listener of the connection.
    await ask(50);
    const before = listeners();
    for (let batch = 0; batch < 100; batch++) {
      await ask(1);
      await ask(50);
    }
    expect(listeners()).toEqual(before);
    expect(ends.all).toHaveLength(5150);
  });
});

describe("the end of an upgraded socket", () => {
  const upgrade = request("/ws", { head: "Connection: Upgrade\r\nUpgrade: websocket\r\n" });
  const welcome = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n";

  it("is its close, once, and needs somebody who reads it", async () => {
    await serve(() => {});
    let calls = 0;
    let read: () => void = () => {};
    server.server.on("upgrade", (_req, socket) => {
      socket.on("error", () => {});
      socket.write(welcome);
      whenSocketEnds(socket, () => {
        calls += 1;
      });
      read = () => void socket.resume().once("end", () => socket.end());
    });
    const client = await rawClient(server.port);
    client.send(upgrade);
    await client.receives("101");
    client.send("a frame that nobody reads yet");
    client.socket.end();
    await new Promise((resolve) => client.socket.once("finish", resolve));
    expect(calls).toBe(0);
    read();
    await until("the socket is over", () => calls > 0);
    await until("it has closed", () => server.connections[0]?.closed === true);
    expect(calls).toBe(1);
  });

  it("is at once if the socket is destroyed", async () => {
    await serve(() => {});
    let calls = 0;
    server.server.on("upgrade", (_req, socket) => {
      socket.destroy();
      whenSocketEnds(socket, () => {
        calls += 1;
      });
    });
    const client = await rawClient(server.port);
    client.send(upgrade);
    await until("the socket is over", () => calls === 1);
  });
});
