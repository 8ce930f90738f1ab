import { CallFailure, type CallFailureDetails } from "./call-failure";

type Kind = Omit<CallFailureDetails, "cause">;

const unknownFate: Kind = { code: "SLUICE_STORE_UNREACHABLE" };
const notSent: Kind = { code: "SLUICE_STORE_UNREACHABLE", isRetryable: true };
const notAllowedIn: Kind = { code: "SLUICE_STORE_UNREACHABLE", isRetryable: true };
const refused: Kind = { code: "SLUICE_STORE_REFUSED", isRetryable: true };
const refusedForNow: Kind = { code: "SLUICE_STORE_REFUSED", isTransient: true };
const notUnderstood: Kind = { code: "SLUICE_STORE_PROTOCOL", isRetryable: true };
const scriptFailed: Kind = { code: "SLUICE_STORE_PROTOCOL" };

/**
 * By the first word of a server's error. All of these come before a script changes anything: either
 * it was not run, or its first write was refused, after which it stops (a script that has written
 * once is never refused a later write).
 */
const kindByWord: ReadonlyMap<string, Kind> = new Map([
  ["NOSCRIPT", notUnderstood],
  ["CROSSSLOT", notUnderstood],
  ["MOVED", refused],
  ["ASK", refused],
  ["TRYAGAIN", refusedForNow],
  ["CLUSTERDOWN", refusedForNow],
  ["LOADING", refusedForNow],
  ["MASTERDOWN", refusedForNow],
  ["BUSY", refusedForNow],
  ["READONLY", refused],
  ["NOREPLICAS", refused],
  ["MISCONF", refused],
  ["OOM", refused],
  ["NOPERM", refused],
  ["NOAUTH", notAllowedIn],
  ["WRONGPASS", notAllowedIn],
]);

/** Errors without a word of their own. */
const kindByText: readonly (readonly [RegExp, Kind])[] = [
  [/^ERR max number of clients reached/, notAllowedIn],
  // The library's own summary: one of the attempts may have been sent and lost.
  [/^Too many Cluster redirections\. Last error: /, { code: "SLUICE_STORE_REFUSED" }],
  [/^Too many Cluster redirections$/, refused],
  [/^ERR unknown command/, notUnderstood],
  [/^ERR This instance has cluster support disabled/, notUnderstood],
];

/** What the libraries say when they have not sent a command. */
const notSentTexts: ReadonlySet<string> = new Set([
  "Stream isn't writeable and enableOfflineQueue options is false",
  "Cluster isn't ready and enableOfflineQueue options is false",
  "None of startup nodes is available",
  "The client is closed",
  "The client is offline",
  "The queue is full",
  "All the root nodes are unavailable",
]);

/** A server's errors begin with a word in capitals; those of the libraries are sentences. */
const serverWord = /^-?([A-Z][A-Z0-9]+)(?: |$)/;

/** An old server's compiler does not know `#`, and a newer one not every engine or flag. */
const compileError =
  /^ERR (?:Error compiling script|Unexpected engine in script shebang|Invalid script shebang)/;

/**
 * What an error of a client, or of the server behind it, says about the call. What is not known is
 * taken for a broken connection with an unknown fate, the safe side. Never throws.
 */
export function classify(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  return new CallFailure({ ...kindOf(messageOf(error)), cause: error });
}

/** That a call was not sent, because the client has no connection for it. Never throws. */
export function notSentFailure(reason: string, isTransient = false): CallFailure {
  return new CallFailure({ ...notSent, isTransient, cause: new Error(reason) });
}

/** Whether the server does not know the script. Servers differ in the words after the first. */
export function isNoScript(error: unknown): boolean {
  return messageOf(error).startsWith("NOSCRIPT");
}

/** Whether the server could not compile the script, so that nothing ran. */
export function isCompileError(error: unknown): boolean {
  return compileError.test(messageOf(error));
}

function kindOf(message: string): Kind {
  if (notSentTexts.has(message)) return notSent;
  const byText = kindByText.find(([pattern]) => pattern.test(message));
  if (byText !== undefined) return byText[1];
  if (isCompileError({ message })) return notUnderstood;
  const word = serverWord.exec(message)?.[1];
  if (word === undefined) return unknownFate;
  return kindByWord.get(word) ?? scriptFailed;
}

function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : "";
}
