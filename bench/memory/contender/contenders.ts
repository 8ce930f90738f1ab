import { ExpressRateLimit } from "./express-rate-limit";
import { Floor } from "./floor";
import { LimiterPackage } from "./limiter";
import { RateLimiterFlexible } from "./rate-limiter-flexible";
import { ShardedMap } from "./sharded-map";
import { Sluice } from "./sluice";
import { SluiceKeptQuestion } from "./sluice-kept-question";
import { SluiceManySubjects } from "./sluice-many-subjects";
import { SluiceWithCost } from "./sluice-with-cost";
import { SluiceWithRelease } from "./sluice-with-release";
import type { Setting, Subject } from "./subject";

const contenders = {
  sluice: Sluice,
  "sluice, admit + release": SluiceWithRelease,
  "sluice, cost given, id of two parts": SluiceWithCost,
  "sluice, questions kept": SluiceKeptQuestion,
  "sluice, a descriptor per limit": SluiceManySubjects,
  "rate-limiter-flexible": RateLimiterFlexible,
  "express-rate-limit": ExpressRateLimit,
  limiter: LimiterPackage,
  floor: Floor,
  "bare sharded Map": ShardedMap,
} as const satisfies Record<string, new (setting: Setting) => Subject>;

export type ContenderName = keyof typeof contenders;

/** A fresh limiter of that name. */
export function prepare(name: ContenderName, setting: Setting): Subject {
  return new contenders[name](setting);
}
