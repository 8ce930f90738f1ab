import type { AdapterName } from "../gateway/adapter/adapter-name";
import type { GatewaySettings } from "../gateway/gateway-settings";
import type { Scenario } from "./scenario";

/** One run of a scenario, on gateways of its own. */
export interface Part {
  readonly scenario: Scenario;
  /** Its upstream and its load clients are those of this adapter. */
  readonly lane: AdapterName;
  /** The settings of its gateways, in their order. */
  readonly gateways: readonly Partial<GatewaySettings>[];
  /** Each gateway has a process of its own; else all of a lane share one. */
  readonly isApart: boolean;
}

/** The runs of one scenario: one per adapter, or one alone. */
export function partsOf(
  scenario: Scenario,
  adapters: readonly [AdapterName, ...AdapterName[]],
): readonly Part[] {
  const [first] = adapters;
  const part = (lane: AdapterName, adapterAt: (place: number) => AdapterName): Part => ({
    scenario,
    lane,
    gateways: scenario.gateways.map((each, place) => ({ ...each, adapter: adapterAt(place) })),
    isApart: scenario.adapters === "first" || scenario.adapters === "mixed",
  });
  switch (scenario.adapters) {
    case "side by side":
    case "in turn":
      return adapters.map((adapter) => part(adapter, () => adapter));
    case "first":
      return [part(first, () => first)];
    case "mixed":
      // The first adapter has been measured most: of four, the three others share what they can.
      return [part(first, (place) => adapters[(place + 1) % adapters.length] ?? first)];
  }
}
