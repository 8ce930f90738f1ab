import { pollUntil } from "../../../../../tools/redis/poll-until";
import type { RedisServer } from "../../../../../tools/redis/redis-server";

/** Has a server fail to save, so that it refuses writes (MISCONF). */
export async function failSaving(server: RedisServer): Promise<void> {
  await server.command("CONFIG", "SET", "save", "3600 1000000");
  await server.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes");
  await server.command("CONFIG", "SET", "rdb-key-save-delay", 1_000_000);
  await server.command("SET", "saved slowly", 1);
  await server.command("BGSAVE");
  const started = /Background saving started by pid (\d+)/g;
  const pid = await pollUntil(() => [...server.log.matchAll(started)].at(-1)?.[1], {
    what: "the server saves",
  });
  process.kill(Number(pid), "SIGKILL");
  const hasFailed = async () =>
    String(await server.command("INFO", "persistence")).includes("rdb_last_bgsave_status:err");
  await pollUntil(hasFailed, { what: "the saving has failed" });
  await server.command("CONFIG", "SET", "rdb-key-save-delay", 0);
}
