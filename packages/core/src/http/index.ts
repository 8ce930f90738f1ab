export type { AnyRejected, RejectionBody, RenderedBody } from "./body/rejection-body";
export {
  type ClientAddress,
  clientAddress,
  type FoundClient,
} from "./client/client-address";
export type { ClientAddressOptions } from "./client/client-address-options";
export type { HttpRequest } from "./client/http-request";
export type { TrustOption, TrustTest } from "./client/trust";
export type { ClientAddressWarning, OnClientAddressWarning } from "./client/warning";
export { HttpRejectedError } from "./http-rejected-error";
export { allOf } from "./policy/all-of";
export { type ChooseOptions, choose } from "./policy/choose";
export { type EndedAnswer, failed, serverFailed, succeeded } from "./policy/ended-answer";
export { limitBy } from "./policy/limit-by";
export type { LimitByOptions } from "./policy/limit-by-options";
export { type LoginAttemptsOptions, loginAttempts } from "./policy/login-attempts";
export type { MaybeId } from "./policy/missing-id";
export { comesFrom, isPreflight } from "./policy/request-tests";
export { type RequestTest, unless, unlimited } from "./policy/unless";
export type { Soon } from "./policy/when-known";
export type { HeaderPreset } from "./preset/presets";
export { renderHeaders, renderRejection } from "./render";
export {
  parseRenderOptions,
  type RenderConfig,
  type RenderOptions,
  readPresets,
  readRenderOptions,
} from "./render-options";
export type { RenderedAnswer } from "./rendered-answer";
