import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port";
import { keptFolder, startKeptProcess } from "./kept-process";
import { pollUntil } from "./poll-until";
import type { Reply } from "./reply-reader";
import { type Argument, RespConnection } from "./resp-connection";
import { findServerBinary } from "./server-binary.mjs";

export interface ServerOptions {
  /** Lines of redis.conf after ours: `maxmemory 3mb`. */
  readonly config?: readonly string[];
  /** What it is started as. @default "single" */
  readonly mode?: "single" | "cluster" | "sentinel";
}

interface Ports {
  readonly port: number;
  /** Where the nodes of a cluster talk to each other; by default the port and 10 000. */
  readonly busPort: number;
}

const START_TIMEOUT_MS = 10_000;
const PORT_TRIES = 5;

/** For servers that hold data: nothing is saved, and replicas are attached without delay. */
const DATA_CONFIG = [
  'save ""',
  "appendonly no",
  "enable-debug-command local",
  "repl-diskless-sync yes",
  "repl-diskless-sync-delay 0",
];

let theBinary: string | undefined;

/** Looked for once: that starts a process too. */
function binary(): string {
  theBinary ??= findServerBinary();
  if (theBinary !== undefined) return theBinary;
  throw new Error(
    "expected redis-server on the PATH or its path in REDIS_SERVER, received none; " +
      "npm test installs it on Debian",
  );
}

/**
 * A Redis server, or a Sentinel, that we started on 127.0.0.1. It ends with this process, however
 * that ends, and leaves nothing behind.
 */
export class RedisServer {
  readonly port: number;
  /** Where it talks to other nodes, if it is one of a cluster. */
  readonly busPort: number;
  readonly #args: readonly string[];
  readonly #folder = keptFolder();
  #child: (ChildProcess & { readonly pid: number }) | undefined;
  #isPaused = false;
  #connection: Promise<RespConnection> | undefined;

  constructor({ port, busPort }: Ports, { config = [], mode = "single" }: ServerOptions) {
    this.port = port;
    this.busPort = busPort;
    this.#args = mode === "sentinel" ? ["redis.conf", "--sentinel"] : ["redis.conf"];
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir "${this.#folder}"`,
      ...(mode === "sentinel" ? [] : DATA_CONFIG),
      ...(mode === "cluster" ? ["cluster-enabled yes", `cluster-port ${busPort}`] : []),
      ...config,
    ];
    // A file, because fail-overs are written into it and have to outlast a restart.
    writeFileSync(join(this.#folder, "redis.conf"), `${lines.join("\n")}\n`);
  }

  /** Whether it runs and is not paused. */
  get isAnswering(): boolean {
    return this.#child !== undefined && !this.#isPaused;
  }

  /** What it has logged since it was first started. */
  get log(): string {
    return readFileSync(join(this.#folder, "server.log"), "utf8");
  }

  /** The process. @throws Error if it does not run. */
  get pid(): number {
    if (this.#child === undefined) throw new Error(`no server runs on port ${this.port}`);
    return this.#child.pid;
  }

  /**
   * Sends a command over a connection of this object's own, which is opened again when it broke.
   *
   * @throws ReplyError if the server refuses; Error if it cannot be reached or is paused.
   */
  async command(...args: readonly Argument[]): Promise<Reply> {
    const current = await this.#connection?.catch(() => undefined);
    if (current?.isOpen !== true) this.#connection = this.connect();
    return (await (this.#connection as Promise<RespConnection>)).command(...args);
  }

  /** A connection more, for what blocks or changes a connection; the caller closes it. */
  connect(): Promise<RespConnection> {
    return RespConnection.open(this.port);
  }

  /** Ends it as a crash does (SIGKILL); what it held is lost. Resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.ref();
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    this.#forget(child);
  }

  /** Starts it (again), empty, on the same port; kills it first if it runs. */
  async restart(): Promise<void> {
    await this.kill();
    const child = startKeptProcess(binary(), this.#args, {
      cwd: this.#folder,
      logPath: join(this.#folder, "server.log"),
    });
    this.#child = child;
    child.once("exit", () => this.#forget(child));
    try {
      await this.#whenReady(child);
    } catch (error) {
      await this.kill();
      throw new Error(`redis-server on port ${this.port}: ${this.log}`, { cause: error });
    }
  }

  /** Stops it from doing anything (SIGSTOP); its connections stay, and the system accepts more. */
  pause(): void {
    process.kill(this.pid, "SIGSTOP");
    this.#isPaused = true;
  }

  /** Lets a paused server go on (SIGCONT). */
  resume(): void {
    process.kill(this.pid, "SIGCONT");
    this.#isPaused = false;
  }

  /** Ends it for good and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  #forget(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#isPaused = false;
    void this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
    this.#connection = undefined;
  }

  async #whenReady({ pid }: { readonly pid: number }): Promise<void> {
    // Another program may have taken the port: only our own process counts.
    const isOurs = async () =>
      String(await this.command("INFO", "server")).includes(`process_id:${pid}\r`);
    const what = `redis-server answers on port ${this.port}`;
    await pollUntil(() => this.#child === undefined || isOurs(), {
      what,
      timeoutMs: START_TIMEOUT_MS,
    });
    if (this.#child === undefined) throw new Error("it ended at once");
  }
}

/**
 * Starts a Redis server on a free port of 127.0.0.1 and waits until it answers.
 *
 * @throws Error with what it logged, if it does not start.
 */
export async function startServer(options: ServerOptions = {}): Promise<RedisServer> {
  for (let tries = 1; ; tries += 1) {
    const ports = { port: await freePort(), busPort: await freePort() };
    const server = new RedisServer(ports, options);
    try {
      await server.restart();
      return server;
    } catch (error) {
      // Between our look and its start somebody else may have taken the port.
      const isTaken = /Failed listening on port|Address already in use/.test(String(error));
      await server.stop();
      if (!isTaken || tries === PORT_TRIES) throw error;
    }
  }
}
