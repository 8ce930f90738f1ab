import { type EntryPoint, renderApi } from "./api-listing";
import { scriptModule } from "./lua-scripts";
import { thirdPartyNotices } from "./third-party-notices";

/** A file of the repository that is written by a tool. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** Every generated file as it should be now. */
export function generatedFiles(api: readonly EntryPoint[]): readonly GeneratedFile[] {
  const listing = { path: "docs/reference/api.md", content: renderApi(api) };
  return [listing, ...thirdPartyNotices(), scriptModule()];
}
