import { randomBytes } from "node:crypto";
import { type GatewaySettings, standardSettings } from "../gateway/gateway-settings";

type Settings = Partial<GatewaySettings>;

/** Changes the settings of a gateway behind the back of the scenario that measures it. */
export type Fault = (settings: Settings) => Settings;

/** No fault. */
export const noFault: Fault = (settings) => settings;

/** What can be broken on purpose, to see that the rows which watch it fail. */
export const faults: Readonly<Record<string, Fault>> = {
  /** One request too many gets in at the gate. */
  cap: (settings) => ({ ...settings, maxInFlight: (settings.maxInFlight ?? 1000) + 1 }),
  /** One request too many may wait. */
  queue: (settings) => ({ ...settings, queueMax: (settings.queueMax ?? 1000) + 1 }),
  /** Whoever waits, waits twice as long. */
  timeout: (settings) => {
    const { queueTimeoutMs = standardSettings.queueTimeoutMs } = settings;
    return { ...settings, queueTimeoutMs: queueTimeoutMs * 2 };
  },
  gate: (settings) => ({ ...settings, gate: "off" }),
  limits: (settings) => ({ ...settings, limits: "off" }),
  /** One request too many may use a key at once. */
  slots: (settings) => ({ ...settings, slots: standardSettings.slots + 1 }),
  /** Classes share a model's capacity as they come. */
  shares: (settings) => ({ ...settings, saturationThreshold: 1 }),
  /** The gate's cap does not find itself. */
  adapting: (settings) => ({ ...settings, cap: "fixed" }),
  /** Each gateway counts for itself. */
  sharing: (settings) => ({
    ...settings,
    prefix: `${settings.prefix}${randomBytes(4).toString("hex")}:`,
  }),
  /** Answers keep what was reserved for them. */
  settle: (settings) => ({ ...settings, settle: "off" }),
};
