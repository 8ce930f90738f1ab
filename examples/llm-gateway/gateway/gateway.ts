import {
  type AdaptiveLimit,
  adaptiveLimit,
  createGate,
  type Gate,
  type Limiter,
} from "@sluice/core";
import type { RenderOptions } from "@sluice/core/http";
import type { ParsedChat } from "../openai/chat-request";
import type { Answer } from "./answer";
import { type ChatCall, chatAnswerer } from "./answer-chat";
import { keyStatusAnswerer } from "./answer-key-status";
import type { WithHeaders } from "./api-key";
import type { DecidedBy } from "./decided-by";
import type { GatewaySettings } from "./gateway-settings";
import { keyPolicy } from "./key-policy";
import type { Keys } from "./keys";
import { modelCapacity } from "./model-capacity";

/** Refusals as AI clients know them, and headers that say where each limit of the key stands. */
const render: RenderOptions = {
  headers: ["descriptor", "ai"],
  body: "openai",
  slotsHeaderName: "max_parallel_requests",
};

/** Which keys there are, and who judges their limits. */
export interface Limiting {
  readonly keys: Keys;
  readonly limiter: Limiter;
  /** Records what the limiter decides. */
  readonly decidedBy: DecidedBy;
}

/** All of the gateway that is the same whatever framework it is mounted on. */
export class Gateway {
  readonly gate: Gate;
  readonly decidedBy: DecidedBy;
  readonly answerChat: (call: ChatCall) => Promise<Answer>;
  readonly answerKeyStatus: (key: string | undefined) => Promise<Answer>;
  readonly #settings: GatewaySettings;
  readonly #keys: Keys;
  readonly #limiter: Limiter;

  constructor(settings: GatewaySettings, { keys, limiter, decidedBy }: Limiting) {
    this.gate = createGate({
      maxInFlight: capOf(settings),
      queue: { max: settings.queueMax, timeoutMs: settings.queueTimeoutMs },
      mode: settings.gate,
    });
    this.decidedBy = decidedBy;
    this.answerChat = chatAnswerer(settings);
    this.answerKeyStatus = keyStatusAnswerer(limiter, keys);
    this.#settings = settings;
    this.#keys = keys;
    this.#limiter = limiter;
  }

  knowsKey(key: string | undefined): boolean {
    return this.#keys.has(key ?? "");
  }

  /** For the adapter's gate. */
  get gateOptions() {
    return { gate: this.gate, render };
  }

  /** For the adapter's limits, given how it reads a chat. */
  limitsOptions<Req extends WithHeaders>(readChat: (req: Req) => Promise<ParsedChat>) {
    const capacityOf = modelCapacity(this.#settings);
    const policy = keyPolicy({ keys: this.#keys, capacityOf, readChat });
    const isOff = this.#settings.limits === "off";
    return { limiter: this.#limiter, policy: isOff ? () => null : policy, render };
  }
}

/** How many requests may be in flight. */
function capOf({ cap, maxInFlight }: GatewaySettings): number | AdaptiveLimit {
  return cap === "fixed" ? maxInFlight : adaptiveLimit({ ceiling: maxInFlight });
}
