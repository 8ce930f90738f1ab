/**
 * A Lua script in two texts: with the line `#!lua`, by which Redis 7.0 and newer refuse to run it
 * where it could not write, and without that line for older servers, which cannot compile it.
 */
export interface Script {
  /** For messages: `admit`, `settle`, ... */
  readonly name: string;
  /** The text that begins with `#!lua`. */
  readonly source: string;
  /** The SHA-1 of `source`, 40 hexadecimal digits in lower case. */
  readonly sha: string;
  readonly plainSource: string;
  /** The SHA-1 of `plainSource`. */
  readonly plainSha: string;
}

/** One call of a script. On a cluster all its keys lie in one hash slot. */
export interface ScriptCall {
  readonly script: Script;
  /** At least one: it decides which node is asked. */
  readonly keys: readonly string[];
  /** The one argument, in the encoding of the script. */
  readonly argument: string;
}

/** The port to the client libraries: sends a script to the server that has its keys. */
export interface Executor {
  /** Whether the keys of a call have to lie in one hash slot. */
  readonly isCluster: boolean;
  /**
   * The name of the node that serves a hash slot (0 to 16383) now: `server` where there is only
   * one, `unknown` while the client does not know. Never throws.
   */
  nodeOf(slot: number): string;
  /**
   * Sends the call once, by EVALSHA; after NOSCRIPT, where nothing ran, its text. Resolves to
   * what the script returned. Never waits for a connection: what cannot be sent now fails now.
   * How long it waits for a reply is up to the client; a deadline is the caller's.
   *
   * @throws CallFailure and only that, by rejecting.
   */
  run(call: ScriptCall): Promise<unknown>;
  /**
   * Tells that a node has not answered for long or fails without interruption, so that a client
   * which cannot recover by itself is replaced. Cheap to call again. Never throws.
   */
  reportTrouble(node: string): void;
  /** Gives the connections up. Idempotent. Never rejects. */
  close(): Promise<void>;
}
