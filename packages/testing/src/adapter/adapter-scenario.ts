import type { Gate, Limiter, LimiterPermit, Policy, Verdict } from "@sluice/core";
import type { RenderOptions } from "@sluice/core/http";
import type { AdapterBehaviour } from "./adapter-behaviour";

/** What the suite's policies read of a request; the requests of all frameworks have it. */
export interface AdapterRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** How a request has ended, as `refundWhen` is told. */
export interface AdapterEnd {
  readonly status: number;
  readonly isComplete: boolean;
}

/** Where an instance acts: on everything, or on what is below `/api` only. */
export type MountPath = "/" | "/api";

/** A gate to be mounted, with options to be passed on as they are. */
export interface GateMount {
  readonly kind: "gate";
  readonly gate: Gate;
  readonly options: {
    readonly class?: (req: AdapterRequest) => string | undefined;
    readonly fairnessKey?: (req: AdapterRequest) => string | undefined;
    readonly exemptPaths?: readonly string[];
    readonly mountPrefix?: string;
    readonly render?: RenderOptions;
    readonly rejections?: "answer" | "error";
  };
  readonly at: MountPath;
  /** How often the one instance is to be mounted. */
  readonly times: 1 | 2;
}

/** Limits to be mounted, with options to be passed on as they are. */
export interface LimitsMount {
  readonly kind: "limits";
  readonly limiter: Limiter;
  readonly options: {
    readonly policy: Policy<AdapterRequest>;
    readonly render?: RenderOptions;
    readonly rejections?: "answer" | "error";
    readonly admittedHeaders?: "none";
    readonly refundWhen?: (ended: AdapterEnd) => boolean;
  };
  readonly at: MountPath;
  readonly times: 1 | 2;
}

/** A gate or limits in front of the routes. */
export type AdapterMount = GateMount | LimitsMount;

/** What a handler tells of the request that has reached it. */
export interface SeenRequest {
  readonly method: string;
  /** The whole path with the query, as the client has sent it. */
  readonly url: string;
  /** The verdict of the limits, from where the adapter's users find it. */
  readonly verdict: Verdict<LimiterPermit> | undefined;
}

/** The protocol that a server is to speak. */
export type AdapterProtocol = "http1" | "http2";

/**
 * A server to be built: mounts, then a route for every method on everything below `/do/` and
 * below `/api/do/`. Any other path is left to what the framework answers by itself (404).
 */
export interface AdapterScenario {
  readonly protocol: AdapterProtocol;
  /** In this order, the first one outermost. */
  readonly mounts: readonly AdapterMount[];
  /** What the handler of the routes is to do, asked once per request that reaches it. */
  readonly behave: (seen: SeenRequest) => AdapterBehaviour;
  /** To be told of every error that reaches the error handling of the adapter or framework. */
  readonly heard: (error: unknown) => void;
}
