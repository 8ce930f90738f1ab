import { defineConfig } from "tsup";
import { packageBuild } from "../../tools/tsup";

// The digest is bundled: the core has no runtime dependency.
export default defineConfig(
  packageBuild(
    { index: "src/index.ts", http: "src/http/index.ts", redis: "src/redis/index.ts" },
    { noExternal: ["@noble/hashes"] },
  ),
);
