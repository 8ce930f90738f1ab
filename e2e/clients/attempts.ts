import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Attempt } from "./call";

/** What fetch, undici's own requests and node:http tell of every request of this process. */
interface UndiciMessage {
  readonly request: { readonly origin: string | URL };
  readonly response: {
    readonly statusCode: number;
    readonly headers: readonly (Buffer | string)[];
  };
}

interface HttpMessage {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Requests by the host and port that they go to; one call has a server of its own. */
const attemptsByHost = new Map<string, Attempt[]>();

/** The answered requests to that server, in the order in which they were sent. */
export function attemptsTo(url: string): readonly Attempt[] {
  return attemptsOf(new URL(url).host).filter(({ status }) => status !== 0);
}

/** From now on requests are noted, whatever library sends them. */
export function noteAttempts(): void {
  on("undici:client:sendHeaders", ({ request }: UndiciMessage) => noteSent(hostOf(request)));
  on("undici:request:headers", ({ request, response }: UndiciMessage) => {
    const names = response.headers.map((text) => text.toString());
    noteReceived(hostOf(request), response.statusCode, pairs(names));
  });
  on("http.client.request.start", ({ request }: HttpMessage) => noteSent(hostHeader(request)));
  on("http.client.response.finish", ({ request, response }: HttpMessage) => {
    noteReceived(hostHeader(request), response.statusCode ?? 0, pairs(response.rawHeaders));
  });
}

function on<Message>(channel: string, note: (message: Message) => void): void {
  subscribe(channel, (message) => note(message as Message));
}

function hostOf({ origin }: UndiciMessage["request"]): string {
  return new URL(origin).host;
}

function hostHeader(request: ClientRequest): string {
  return String(request.getHeader("host"));
}

function attemptsOf(host: string): Attempt[] {
  const attempts = attemptsByHost.get(host) ?? [];
  attemptsByHost.set(host, attempts);
  return attempts;
}

function noteSent(host: string): void {
  attemptsOf(host).push({ sentMs: performance.now(), receivedMs: 0, status: 0, headers: {} });
}

function noteReceived(host: string, status: number, headers: Readonly<Record<string, string>>) {
  const receivedMs = performance.now();
  const attempts = attemptsOf(host);
  const sent = attempts.pop();
  if (sent === undefined) throw new Error(`${host} answered before it was asked`);
  attempts.push({ ...sent, receivedMs, status, headers });
}

/** Names and values, one after the other, as an object. */
function pairs(raw: readonly string[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let place = 0; place + 1 < raw.length; place += 2) {
    fields[(raw[place] as string).toLowerCase()] = raw[place + 1] as string;
  }
  return fields;
}
