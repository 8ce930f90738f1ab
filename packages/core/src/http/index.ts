export type { AnyRejected, RejectionBody, RenderedBody } from "./body/rejection-body";
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
