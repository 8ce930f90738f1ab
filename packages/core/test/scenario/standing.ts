import type { LimitStatus } from "@sluice/core";
import type { Stage } from "../stage";
import { Director } from "./director";
import type { Scenario } from "./step";

/** Where one limit of one subject stands. */
export interface Standing {
  readonly used: number;
  readonly resetAfterMs: number;
}

/** Names a limit over all subjects. */
export function nameOf({ descriptor, name }: LimitStatus): string {
  return `${String(descriptor.id)} ${name}`;
}

/** Where every limit of every subject of a scenario stands now, by name. */
export async function standingsOf(
  scenario: Scenario,
  { limiter }: Pick<Stage, "limiter">,
): Promise<Map<string, Standing>> {
  const { statuses } = await limiter.peek(new Director(scenario).survey());
  return new Map(
    statuses.map((status) => {
      const { used, resetAfterMs } = status;
      return [nameOf(status), { used, resetAfterMs }];
    }),
  );
}
