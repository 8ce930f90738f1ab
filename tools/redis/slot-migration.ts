import type { RedisCluster } from "./redis-cluster";
import type { RedisServer } from "./redis-server";

const MIGRATE_TIMEOUT_MS = 1_000;
const KEYS_MAX = 10_000;

/**
 * Moves a slot of a cluster to another master step by step, as an operator does. Between the steps
 * clients are redirected for the keys that have gone (ASK), and refused for calls whose keys are in
 * two places (TRYAGAIN).
 */
export class SlotMigration {
  readonly #cluster: RedisCluster;
  readonly #slot: number;
  readonly #from: RedisServer;
  readonly #to: RedisServer;

  private constructor(cluster: RedisCluster, slot: number, from: RedisServer, to: RedisServer) {
    this.#cluster = cluster;
    this.#slot = slot;
    this.#from = from;
    this.#to = to;
  }

  /** Opens both ends; `toSlot` is any slot of the node that is to get it. */
  static async begin(
    cluster: RedisCluster,
    { slot, toSlot }: { readonly slot: number; readonly toSlot: number },
  ): Promise<SlotMigration> {
    const [from, to] = [await cluster.masterOf(slot), await cluster.masterOf(toSlot)];
    await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", await idOf(from));
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", await idOf(to));
    return new SlotMigration(cluster, slot, from, to);
  }

  /**
   * Moves a share of the keys that are still at the old place, 0 to 1, evenly picked; resolves to
   * how many.
   */
  async moveKeys(share: number): Promise<number> {
    const all = await this.#from.command("CLUSTER", "GETKEYSINSLOT", this.#slot, KEYS_MAX);
    const keys = (Array.isArray(all) ? (all as readonly string[]) : []).filter(
      (_, index) => Math.floor((index + 1) * share) > Math.floor(index * share),
    );
    if (keys.length === 0) return 0;
    const where = ["127.0.0.1", this.#to.port, "", 0, MIGRATE_TIMEOUT_MS];
    await this.#from.command("MIGRATE", ...where, "KEYS", ...keys);
    return keys.length;
  }

  /** Moves what is left, and tells all masters, the new one first. */
  async finish(): Promise<void> {
    while ((await this.moveKeys(1)) > 0);
    const id = await idOf(this.#to);
    const others = this.#cluster.nodes.filter((node) => node !== this.#to && node !== this.#from);
    for (const node of [this.#to, this.#from, ...others]) {
      // Replicas refuse, and hear it from their masters.
      const setting = node.command("CLUSTER", "SETSLOT", this.#slot, "NODE", id);
      await (others.includes(node) ? setting.catch(() => undefined) : setting);
    }
  }
}

async function idOf(node: RedisServer): Promise<string> {
  return String(await node.command("CLUSTER", "MYID"));
}
