export type { Decided, Framework, Judge, LateStep, Step } from "./adapter";
export type { AdmissionEntry } from "./admission/admission-entry";
export type { AdmissionEvent, SizeBucket } from "./admission/admission-event";
export { type AdmissionLog, createAdmissionLog } from "./admission/admission-log";
export type { AdmissionLogOptions } from "./admission/admission-log-options";
export type { AdmissionFacts } from "./admission/facts";
export { type Backlog, backlogHandler, backlogOf } from "./backlog";
export type { Ended, OutcomeOf } from "./ended";
export { defaultExemptPaths } from "./exempt-paths";
export { createGateJudge } from "./gate-judge";
export type { GateAdapterOptions, OfRequest } from "./gate-options";
export type { OnError } from "./handler-error";
export { createLimitsJudge } from "./limits-judge";
export type { LimitsAdapterOptions, RefundWhen } from "./limits-options";
export type { NodeHandler, NodeListener, NodeRequest, NodeResponse, ResponseTo } from "./message";
export { createNodeGate, type NodeGate, type NodeGateOptions } from "./node-gate";
export { createNodeLimits, type NodeLimits, type NodeLimitsOptions } from "./node-limits";
export { markDropped, markIgnored } from "./outcome";
export { headersOfBodies, thrownRejection } from "./refusal";
export {
  parseRejectionsOptions,
  type RejectionsConfig,
  type RejectionsMode,
  type RejectionsOptions,
} from "./rejections-options";
export { hasEnded, whenResponseEnds, whenSocketEnds } from "./response-end";
export { sendAnswer, setHeaders } from "./send-answer";
export { permitOf, verdictOf } from "./verdict-of";
