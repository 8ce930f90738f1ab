import {
  createLimiter,
  fixedWindow,
  type Limiter,
  type Question,
  type SluiceEvent,
  systemRandom,
} from "@sluice/core";
import { type RedisStore, redisStore } from "@sluice/core/redis";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import type { Clock } from "../../../src/clock/clock";
import type { DescriptorKey } from "../../../src/engine/command";
import type { StoreUnavailablePolicy } from "../../../src/limiter/limiter-options";
import type { RedisClient } from "../../../src/redis/executor/client";
import { endFleet } from "./fleet-process";

/** What is tested: a limiter on a store on a client. */
export interface Subject {
  readonly name: string;
  /** Of all its keys; other subjects have others. */
  readonly prefix: string;
  readonly store: RedisStore;
  readonly limiter: Limiter;
  readonly events: readonly SluiceEvent[];
  /** How often `connect` was called. */
  readonly connects: () => number;
}

export interface SubjectOptions {
  /** Of the client. */
  readonly name?: string;
  readonly connect: () => RedisClient;
  readonly prefix?: string;
  /** @default "reject" */
  readonly policy?: StoreUnavailablePolicy;
  readonly instances?: number;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly hashTag?: (descriptor: DescriptorKey) => string;
  /** For very many calls. @default false */
  readonly recordsNothing?: boolean;
}

const subjects: Subject[] = [];

/** A prefix that no other test has. */
export function freshPrefix(): string {
  return `f${systemRandom().id().slice(0, 12)}`;
}

export function openSubject(options: SubjectOptions): Subject {
  const { name = "", connect, prefix = freshPrefix(), policy = "reject" } = options;
  const { instances = 1, timeoutMs = 100, clock, hashTag } = options;
  const events: SluiceEvent[] = [];
  let connects = 0;
  const ports = {
    recorder: {
      record: (event: SluiceEvent) => {
        if (options.recordsNothing !== true) events.push(event);
      },
    },
    ...(clock === undefined ? {} : { clock }),
  };
  const store = redisStore({
    ...ports,
    connect: () => {
      connects += 1;
      return connect();
    },
    prefix,
    instances,
    timeoutMs,
    ...(hashTag === undefined ? {} : { hashTag }),
  });
  const limiter = createLimiter({ ...ports, store, onStoreUnavailable: policy });
  const subject = { name, prefix, store, limiter, events, connects: () => connects };
  subjects.push(subject);
  return subject;
}

/** For `afterEach`: closes what the test has opened. */
export async function closeSubjects(): Promise<void> {
  await endFleet();
  await Promise.all(
    subjects.splice(0).map(async ({ limiter, store }) => {
      await limiter.close();
      await store.close();
    }),
  );
}

/** A question of one window that no test fills and none sees the end of. */
export function countedIn(id: string): Question {
  const limits = [fixedWindow({ max: 1_000_000, windowMs: 3_600_000 })];
  return { descriptors: [{ kind: "user", id, limits }] };
}

/** How many units of its first limit the store counts for a question; asks until it answers. */
export async function usedIn({ limiter, name }: Subject, question: Question): Promise<number> {
  const { used } = await pollUntil(
    async () => {
      const [status] = (await limiter.peek(question)).statuses;
      return status?.source === "store" && status;
    },
    { what: `the store of ${name} answers`, timeoutMs: 5_000 },
  );
  return used;
}

/** How many events of a type were recorded. */
export function countOf({ events }: Subject, type: SluiceEvent["type"]): number {
  return events.filter((event) => event.type === type).length;
}

/** The codes of the failures that the store reported, each once. */
export function failureCodesOf({ events }: Pick<Subject, "events">): readonly string[] {
  const codes = events.flatMap((event) =>
    event.type === "store_failed" ? [(event.error as { readonly code: string }).code] : [],
  );
  return [...new Set(codes)].sort();
}
