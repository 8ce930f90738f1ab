import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address";

const head = "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n";

/** Serves one request, which `ask` sends, and tells which client was found. */
async function foundOver(
  place: { readonly port: number } | { readonly path: string },
  ask: (address: AddressInfo | string) => void,
): Promise<{ readonly key: string | undefined; readonly hadAddress: boolean }> {
  const client = clientAddress({ trust: ["unix"] });
  const server = createServer();
  server.listen({ host: "127.0.0.1", ...place });
  await once(server, "listening");
  try {
    ask(server.address() as AddressInfo | string);
    const [req, res] = await once(server, "request");
    const found = { key: client(req), hadAddress: req.socket.remoteAddress !== undefined };
    res.end();
    return found;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("Where Unix sockets are trusted", () => {
  it("a client that resets its TCP connection at once cannot pass for one", async () => {
    for (let time = 0; time < 10; time += 1) {
      const { key, hadAddress } = await foundOver({ port: 0 }, (address) => {
        const socket = connect((address as AddressInfo).port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(head, () => socket.resetAndDestroy());
      });
      // Linux forgets who the peer was; where a system does not, the peer is the client.
      expect(key).toBe(hadAddress ? "127.0.0.1" : undefined);
    }
  });

  it("the header that comes over one is read", async () => {
    const path =
      process.platform === "win32"
        ? `\\\\.\\pipe\\sluice-client-${process.pid}`
        : join(tmpdir(), `sluice-client-${process.pid}.sock`);
    const { key } = await foundOver({ path }, () => {
      const headers = { "x-forwarded-for": "203.0.113.9" };
      httpRequest({ socketPath: path, headers }, (res) => res.resume()).end();
    });
    expect(key).toBe("203.0.113.9");
  });
});
