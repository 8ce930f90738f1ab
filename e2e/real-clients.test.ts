import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Attempt, type CallReport, type ClientName, clientNames } from "./clients/call";
import { ClientProcess } from "./clients/client-process";
import { type Obstacle, openStand } from "./clients/stand";
import { nodeOfMajor } from "./node-version";

/** Node.js rounds timers down to the millisecond in which a turn of its loop began. */
const EARLY_MS = 2;
/** Besides what timers of the client's process were late: the processors are shared by many. */
const LATE_MS = 250;
const PATIENCE_MS = 15_000;

const forModels: readonly ClientName[] = ["openai", "anthropic"];
const isForModels = (client: ClientName) => forModels.includes(client);

const lines = [
  { line: "newest", on: "Node.js 24", node: () => nodeOfMajor(24) },
  { line: "node-20", on: "the Node.js of the tests", node: async () => process.execPath },
] as const;

type Presets = readonly ("ietf" | "ai")[];

/** The wait that a client is told in a field that it understands, in milliseconds. */
function announcedMs(client: ClientName, presets: Presets, { headers }: Attempt): number {
  const isExact = isForModels(client) && presets.includes("ai");
  return isExact ? Number(headers["retry-after-ms"]) : Number(headers["retry-after"]) * 1000;
}

/**
 * Every refused attempt was followed by another one when it was told, and the last was admitted.
 */
function expectWaited(
  client: ClientName,
  { attempts, isAnswered, stalledMs }: CallReport,
  { status, presets }: { readonly status: number; readonly presets: Presets },
) {
  expect(attempts[0]?.status).toBe(status);
  for (const [place, refused] of attempts.slice(0, -1).entries()) {
    const announced = announcedMs(client, presets, refused);
    const waited = (attempts[place + 1] as Attempt).sentMs - refused.receivedMs;
    expect(announced).toBeGreaterThan(0);
    expect(announced).toBeLessThanOrEqual(1000);
    expect(waited).toBeGreaterThanOrEqual(announced - EARLY_MS);
    expect(waited).toBeLessThanOrEqual(announced + LATE_MS + stalledMs);
  }
  expect(attempts.length).toBeGreaterThan(1);
  expect(attempts.at(-1)?.status).toBe(200);
  expect(isAnswered).toBe(true);
}

const refusals = [
  { obstacle: "window", status: 429, presets: ["ietf", "ai"] },
  { obstacle: "window", status: 429, presets: ["ietf"] },
  { obstacle: "slots", status: 429, presets: ["ietf", "ai"] },
  { obstacle: "gate", status: 503, presets: ["ietf", "ai"] },
] as const;

interface HowToCall {
  readonly method?: "GET" | "POST";
  readonly presets?: Presets;
  readonly abortAfterMs?: number;
}

for (const { line, on, node } of lines) {
  describe.concurrent(`clients of the line ${line} on ${on}`, () => {
    let clients: ClientProcess;

    beforeAll(async () => {
      clients = await ClientProcess.start(await node(), line);
      // Clients load the rest of themselves at their first call.
      const stand = await openStand("none", []);
      const call = { url: stand.url, method: "GET", abortAfterMs: PATIENCE_MS } as const;
      await Promise.all(clientNames.map((client) => clients.call({ ...call, client })));
      await stand.close();
    });

    afterAll(() => clients.stop());

    async function callBlocked(
      client: ClientName,
      obstacle: Obstacle,
      { method = "GET", presets = ["ietf", "ai"], abortAfterMs = PATIENCE_MS }: HowToCall,
    ) {
      const stand = await openStand(obstacle, presets);
      const report = await clients.call({ client, url: stand.url, method, abortAfterMs });
      await stand.close();
      return { ...report, statuses: stand.statuses };
    }

    for (const client of clientNames) {
      for (const refusal of refusals) {
        const { obstacle, presets } = refusal;
        it(`${client}: waits for ${obstacle} as ${presets.join(" + ")} says`, async () => {
          expectWaited(client, await callBlocked(client, obstacle, { presets }), refusal);
        });
      }

      it(`${client}: a quota of hours is asked for once`, async () => {
        // The others wait as long as they are told; a client for models gives up at once.
        const abortAfterMs = isForModels(client) ? PATIENCE_MS : 1500;
        const report = await callBlocked(client, "quota", { abortAfterMs });
        expect(report.statuses).toEqual([429]);
        expect(report.isAnswered).toBe(false);
        expect(report.attempts[0]?.headers).toMatchObject({
          "retry-after": "3600",
          "x-should-retry": "false",
        });
        expect(report.tookMs).toBeLessThan(5000);
      });
    }

    for (const client of clientNames.filter((name) => !isForModels(name))) {
      it(`${client}: a POST that was refused is not sent again`, async () => {
        const report = await callBlocked(client, "window", { method: "POST" });
        expect(report.statuses).toEqual([429]);
      });
    }
  });
}
