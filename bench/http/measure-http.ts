import { MeasuredProcess } from "../process/measured-process";
import { type LoadResult, loadQuestion } from "./client/load-result";
import { type ServerName, serverNames } from "./server-name";

const SERVER_CORE = 0;
const CLIENT_CORE = 1;

/** By then the optimising compiler is done with the server, unless the machine is very busy. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_ROUNDS_MAX = 20;

const ROUND_MS = 460;
export const ROUNDS = 21;

/** One server in one round. */
export interface HttpRound extends LoadResult {
  /** Processor time of the server per request, in microseconds. */
  readonly serverUsPerRequest: number;
}

export type HttpRounds = ReadonlyMap<ServerName, readonly HttpRound[]>;

interface Server {
  readonly name: ServerName;
  readonly process: MeasuredProcess;
  readonly port: number;
  readonly rounds: HttpRound[];
}

/**
 * Loads all servers in turn with one client: a round is one run of each, and every round begins
 * with another one.
 */
export async function measureHttp(isPinned: boolean): Promise<HttpRounds> {
  const processes: MeasuredProcess[] = [];
  const start = (name: "http-server" | "http-client", argument: unknown, core: number) => {
    const process = new MeasuredProcess(name, argument, isPinned ? core : undefined);
    processes.push(process);
    return process;
  };
  try {
    const servers: Server[] = [];
    for (const name of serverNames) {
      const process = start("http-server", name, SERVER_CORE);
      servers.push({ name, process, port: await process.answer<number>(), rounds: [] });
    }
    const ports = servers.map(({ port }) => port);
    const client = start("http-client", ports, CLIENT_CORE);
    await client.answer();
    for (const server of servers) await warmUp(server, client);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let turn = 0; turn < servers.length; turn += 1) {
        const server = servers[(round + turn) % servers.length] as Server;
        server.rounds.push(await runOf(server, client, ROUND_MS));
      }
    }
    return new Map(servers.map(({ name, rounds }) => [name, rounds]));
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
  }
}

async function warmUp(server: Server, client: MeasuredProcess): Promise<void> {
  let requests = 0;
  for (let round = 0; requests < WARM_UP_REQUESTS && round < WARM_UP_ROUNDS_MAX; round += 1) {
    requests += (await runOf(server, client, ROUND_MS)).requests;
  }
}

async function runOf(server: Server, client: MeasuredProcess, ms: number): Promise<HttpRound> {
  const before = await server.process.answer<number>("processor time");
  const result = await client.answer<LoadResult>(loadQuestion(server.port, ms));
  const usedMs = (await server.process.answer<number>("processor time")) - before;
  return { ...result, serverUsPerRequest: (usedMs * 1000) / result.requests };
}
