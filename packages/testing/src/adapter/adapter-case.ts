import type { AdapterProtocol } from "./adapter-scenario";
import type { AdapterCapability } from "./adapter-under-test";
import type { AdapterTrial } from "./world/adapter-trial";

/** One thing that every adapter has to do. */
export interface AdapterCase {
  readonly name: string;
  /** The only protocol that it is about. @defaultValue both */
  readonly protocol?: AdapterProtocol;
  /** What an adapter must be able to do for it. */
  readonly needs?: AdapterCapability;
  readonly run: (at: AdapterTrial) => Promise<void>;
}
