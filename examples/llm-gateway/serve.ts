import { once } from "node:events";
import type { GatewaySettings } from "./gateway/gateway-settings";
import { Children } from "./process/children";
import { type RunningServer, startGateways, startUpstream } from "./runner/start-server";

const LATENCY_MS = 1_000;

/**
 * Leaves a gateway and its upstream running until SIGINT or SIGTERM, and says what to try. Resolves
 * to the exit code: 0, or 1 if one of the two ended by itself. On Redis all that are left running
 * share their limits.
 */
export async function serve(
  settings: Pick<GatewaySettings, "port" | "adapter" | "store">,
): Promise<number> {
  const children = new Children();
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const upstream = await startUpstream(children, ["--latency-ms", String(LATENCY_MS)]);
  const gate = { maxInFlight: 6, queueMax: 2, queueTimeoutMs: 500 };
  const gateways = await startGateways(children, [
    { ...settings, ...gate, upstreamPort: upstream.port },
  ]);
  const { port, child } = gateways[0] as RunningServer;
  console.log(whatToTry(`http://127.0.0.1:${port}`, upstream.port));
  const crashed = Promise.race([once(upstream.child, "exit"), once(child, "exit")]);
  const code = await Promise.race([stopped.then(() => 0), crashed.then(() => 1)]);
  await children.stopAll();
  return code;
}

function whatToTry(url: string, upstreamPort: number): string {
  const chat = `${url}/v1/chat/completions -H 'content-type: application/json'`;
  const body = (rest: string) =>
    `-d '{"model":"fake-model",${rest}"messages":[{"role":"user","content":"Hello"}]}'`;
  const quiet = "-s -o /dev/null -w '%{http_code} after %{time_total} s\\n'";
  const atOnce = (count: number, key: string) =>
    `for i in $(seq ${count}); do curl ${quiet} ${chat} -H 'authorization: Bearer ${key}' ` +
    `${body("")} & done; wait`;
  const seconds = LATENCY_MS / 1000;
  return `Gateway ${url}, in front of a model that takes ${seconds} s (port ${upstreamPort}).
Gate: 6 in flight, 2 may wait for 0.5 s. Keys: sk-open has no limits; sk-slots may have 5 requests
at once; sk-budget has 10 requests and 1000 tokens a minute. Stop with Ctrl-C.

# A completion on a budget; the headers say what remains of it.
curl -i ${chat} -H 'authorization: Bearer sk-budget' ${body('"max_tokens":100,')}

# The same, streamed. Its last chunk says what it used, and that is what it costs.
curl -iN ${chat} -H 'authorization: Bearer sk-budget' ${body('"max_tokens":100,"stream":true,')}

# What the key has used, asked without using anything.
curl ${url}/v1/limits -H 'authorization: Bearer sk-budget'

# More tokens than a minute has: 429, and no use in trying again.
curl -i ${chat} -H 'authorization: Bearer sk-budget' ${body('"max_tokens":5000,')}

# Ten at once: six are served, two are refused at once, two after half a second in the queue.
${atOnce(10, "sk-open")}

# Six at once on a key with five slots: 5 x 200, 1 x 429.
${atOnce(6, "sk-slots")}

# The gate's numbers, and whether the process is alive; the gate lets both through at any time.
curl ${url}/health/backlog
curl -i ${url}/health/liveliness
`;
}
