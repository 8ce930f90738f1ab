import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findServerBinary } from "./server-binary.mjs";

describe("redis-server", () => {
  let folder = "";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-binary-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** A program that says it is this version. */
  function program(name: string, version: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "Redis server v=${version} sha=00000000:0"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  it("is the first on the PATH", () => {
    const path = program("redis-server", "7.0.15");
    expect(findServerBinary({ PATH: `::${join(folder, "absent")}:${folder}` })).toBe(path);
  });

  it("is the one that REDIS_SERVER names, whatever is on the PATH", () => {
    program("redis-server", "7.0.15");
    const named = program("another", "8.2.1");
    expect(findServerBinary({ PATH: folder, REDIS_SERVER: named })).toBe(named);
  });

  it("is undefined where there is none", () => {
    expect(findServerBinary({ PATH: folder })).toBeUndefined();
    expect(findServerBinary({})).toBeUndefined();
  });

  it("is refused if it is too old, with what was expected and what came", () => {
    const path = program("redis-server", "6.2.7");
    expect(() => findServerBinary({ PATH: folder })).toThrow(
      `expected redis-server 7.0 or newer on the PATH, or its path in the environment variable ` +
        `REDIS_SERVER; received ${path}: version 6.2.7`,
    );
  });

  it("is refused if it is another program or none", () => {
    const other = join(folder, "other");
    writeFileSync(other, "#!/bin/sh\necho hello\n");
    chmodSync(other, 0o755);
    expect(() => findServerBinary({ REDIS_SERVER: other })).toThrow(`${other}: another program`);
    const absent = join(folder, "absent");
    expect(() => findServerBinary({ REDIS_SERVER: absent })).toThrow(/ENOENT/);
  });
});
