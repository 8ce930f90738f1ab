import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readApi } from "./generated/api-listing";
import { generatedFiles } from "./generated/files";
import { root } from "./workspace";

for (const { path, content } of generatedFiles(readApi())) {
  writeFileSync(join(root, path), content);
  console.log(path);
}
