import { fixedWindow, type Policy } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { clientAddress } from "../client/client-address";
import type { HttpRequest } from "../client/http-request";
import { allOf } from "./all-of";
import { limitBy } from "./limit-by";
import { loginAttempts } from "./login-attempts";
import { comesFrom, isPreflight } from "./request-tests";
import { unless } from "./unless";

/** What a framework knows of a request beyond HTTP. */
interface Framework extends HttpRequest {
  readonly user: string;
}

/** Like the factory of an adapter, it says what the requests of its policy are. */
const kindsOf = async (policy: Policy<Framework>) => {
  const request = { headers: {}, socket: { remoteAddress: "192.0.2.1" }, user: "ada" };
  return (await policy(request))?.descriptors.map(({ kind, id }) => `${kind} ${id}`);
};

const client = clientAddress({ trust: 0 });
const limits = [fixedWindow({ max: 1, windowMs: 1000 })];
const byClient = limitBy({ kind: "client", id: client, limits });

// That this file compiles is the larger part of each test.
describe("the request of a policy", () => {
  it("is the adapter's in loginAttempts, beside a client of any framework", async () => {
    expect(await kindsOf(loginAttempts({ client, account: (req) => req.user }))).toEqual([
      "login_pair 192.0.2.1,ada",
      "login_account ada",
      "login_client 192.0.2.1",
    ]);
  });

  it("is the adapter's behind tests of unless that are for any framework", async () => {
    const tests = [isPreflight, comesFrom(client, ["private"])];
    const policy = kindsOf(unless(tests, limitBy({ kind: "user", id: (req) => req.user, limits })));
    expect(await policy).toEqual(["user ada"]);
    expect(await kindsOf(unless((req) => req.user === "ada", byClient))).toBeUndefined();
  });

  it("is the adapter's in allOf, beside policies of any framework", async () => {
    const policy = kindsOf(
      allOf(byClient, limitBy({ kind: "user", id: (req) => req.user, limits })),
    );
    expect(await policy).toEqual(["client 192.0.2.1", "user ada"]);
  });

  it("is what functions say it is, where no adapter tells", async () => {
    const spared = unless((req: Framework) => req.user === "bob", byClient);
    const byUser = limitBy({ kind: "user", id: (req: Framework) => req.user, limits });
    const both = allOf(spared, byUser);
    expect(await kindsOf(both)).toEqual(["client 192.0.2.1", "user ada"]);
    const others = unless((req) => req.user === "ada", byUser);
    expect(await kindsOf(others)).toBeUndefined();
  });
});
