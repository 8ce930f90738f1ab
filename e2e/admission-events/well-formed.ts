import { reasonOrder } from "@sluice/core";
import type { AdmissionEvent } from "@sluice/node";
import { expect } from "vitest";

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime = (value: unknown) => Number.isFinite(value) && Number(value) >= 0;
const isFlag = (value: unknown) => typeof value === "boolean";
const isName = (value: unknown) => typeof value === "string" && /^[\w .:-]{1,128}$/.test(value);
const oneOf =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value);
const isSize = oneOf("0", "<1k", "<10k", "<100k", "<1M", "<10M", "<100M", ">=100M");

/** What every field may hold. */
const fields: Readonly<Record<keyof AdmissionEvent, (value: unknown) => boolean>> = {
  version: oneOf(1),
  controllerVersion: isName,
  timestampMs: (value) => isTime(value) && Math.abs(Number(value) - Date.now()) < 60_000,
  mechanism: oneOf("gate", "limits"),
  decision: oneOf("admitted", "rejected", "shadow"),
  reason: oneOf(...reasonOrder),
  retryable: isFlag,
  retryAfterMs: isTime,
  outcome: oneOf("success", "dropped", "ignored"),
  httpStatus: (value) => isCount(value) && Number(value) >= 200 && Number(value) < 600,
  complete: isFlag,
  heldMs: isTime,
  inFlight: isCount,
  queueDepth: isCount,
  queueWaitMs: isTime,
  limit: isCount,
  limitName: isName,
  kind: isName,
  windowMs: isTime,
  sampleMs: isTime,
  sampleBoundary: oneOf("first_byte", "end"),
  baselineMs: isTime,
  requestSize: isSize,
  responseSize: isSize,
  tokenEstimate: isSize,
  requestId: isName,
  route: isName,
  provider: isName,
  region: isName,
  modelClass: isName,
  trafficClass: isName,
  streaming: isFlag,
  attempt: (value) => isCount(value) && Number(value) >= 1 && Number(value) <= 100,
};

const always: readonly (keyof AdmissionEvent)[] = [
  "version",
  "controllerVersion",
  "timestampMs",
  "mechanism",
  "decision",
  "complete",
  "heldMs",
];

/** Fields that only one of the two mechanisms has. */
const ofOther: Readonly<Record<AdmissionEvent["mechanism"], readonly string[]>> = {
  gate: ["limitName", "kind", "windowMs"],
  limits: ["inFlight", "queueDepth", "queueWaitMs", "sampleMs", "sampleBoundary", "baselineMs"],
};

/** Fails if an event has a field that is unknown, missing or wrong, or is not flat. */
export function expectWellFormed(event: AdmissionEvent): void {
  const keys = Object.keys(event) as (keyof AdmissionEvent)[];
  expect(keys).toEqual(expect.arrayContaining([...always]));
  const wrong = keys.filter((key) => !Object.hasOwn(fields, key) || !fields[key](event[key]));
  expect(wrong, JSON.stringify(event)).toEqual([]);
  expect(keys.filter((key) => ofOther[event.mechanism].includes(key))).toEqual([]);
  expect("reason" in event, JSON.stringify(event)).toBe(event.decision !== "admitted");
  expect("retryable" in event).toBe(event.decision === "rejected");
  expect("outcome" in event).toBe(event.decision !== "rejected");
  expect("sampleMs" in event).toBe("sampleBoundary" in event);
}
