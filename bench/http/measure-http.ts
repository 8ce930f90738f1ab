import { MeasuredProcess } from "../process/measured-process";
import { type LoadResult, loadQuestion } from "./client/load-result";
import { type Framework, isRejecting, type ServerName, type Stack, stacksOf } from "./server-name";

const SERVER_CORE = 0;
const CLIENT_CORE = 1;

/** By then the optimising compiler is done with the server, unless the machine is very busy. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_ROUNDS_MAX = 40;

const ROUND_MS = 460;

/** One server in one round. */
export interface HttpRound extends LoadResult {
  /** Processor time of the server per request, in microseconds. */
  readonly serverUsPerRequest: number;
}

/** The rounds of the servers of one framework. */
export type HttpRounds = ReadonlyMap<Stack, readonly HttpRound[]>;

interface Server {
  readonly stack: Stack;
  readonly process: MeasuredProcess;
  readonly port: number;
  readonly rounds: HttpRound[];
}

/**
 * Loads all servers of a framework in turn with one client: a round is one run of each, and every
 * round begins with another one.
 */
export async function measureHttp(
  framework: Framework,
  { isPinned, rounds }: { readonly isPinned: boolean; readonly rounds: number },
): Promise<HttpRounds> {
  const processes: MeasuredProcess[] = [];
  const start = (name: "http-server" | "http-client", argument: unknown, core: number) => {
    const process = new MeasuredProcess(name, argument, isPinned ? core : undefined);
    processes.push(process);
    return process;
  };
  try {
    const servers: Server[] = [];
    for (const stack of stacksOf(framework)) {
      const name: ServerName = { framework, stack };
      const process = start("http-server", name, SERVER_CORE);
      servers.push({ stack, process, port: await process.answer<number>(), rounds: [] });
    }
    const ports = servers.map(({ port }) => port);
    const client = start("http-client", ports, CLIENT_CORE);
    await client.answer();
    for (const server of servers) await warmUp(server, client);
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < servers.length; turn += 1) {
        const server = servers[(round + turn) % servers.length] as Server;
        server.rounds.push(await checkedRunOf(server, client));
      }
    }
    return new Map(servers.map(({ stack, rounds }) => [stack, rounds]));
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
  }
}

/** Callers who are to be refused have their first request admitted here. */
async function warmUp(server: Server, client: MeasuredProcess): Promise<void> {
  const isAtWork = isRejecting(server.stack) ? isRefused : () => true;
  let requests = 0;
  for (let round = 1; ; round += 1) {
    const result = await runOf(server, client);
    requests += result.requests;
    const isWarm = requests >= WARM_UP_REQUESTS || round >= WARM_UP_ROUNDS_MAX;
    if (isWarm && isAtWork(result)) return;
    if (round >= 10 * WARM_UP_ROUNDS_MAX) throw new Error(`${server.stack}: does not refuse`);
  }
}

function isRefused({ requests, refusals }: LoadResult): boolean {
  return refusals === requests;
}

/** @throws Error if a server admits what it should refuse, or the other way round. */
async function checkedRunOf(server: Server, client: MeasuredProcess): Promise<HttpRound> {
  const round = await runOf(server, client);
  const expected = isRejecting(server.stack) ? round.requests : 0;
  if (round.refusals === expected) return round;
  throw new Error(
    `${server.stack}: expected ${expected} refusals of ${round.requests} requests, ` +
      `received ${round.refusals}`,
  );
}

async function runOf(server: Server, client: MeasuredProcess): Promise<HttpRound> {
  const before = await server.process.answer<number>("processor time");
  const result = await client.answer<LoadResult>(loadQuestion(server.port, ROUND_MS));
  const usedMs = (await server.process.answer<number>("processor time")) - before;
  return { ...result, serverUsPerRequest: (usedMs * 1000) / result.requests };
}
