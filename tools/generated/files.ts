import { type EntryPoint, renderApi } from "./api-listing";
import type { GeneratedFile } from "./generated-file";
import { scriptModule } from "./lua-scripts";
import { thirdPartyNotices } from "./third-party-notices";

/** Every generated file as it should be now. */
export function generatedFiles(api: readonly EntryPoint[]): readonly GeneratedFile[] {
  const listing = { path: "docs/reference/api.md", content: renderApi(api) };
  return [listing, ...thirdPartyNotices(), scriptModule()];
}
