import { defineConfig } from "tsup";
import { packageBuild } from "../../tools/tsup";

export default defineConfig(packageBuild({ index: "src/index.ts" }));
