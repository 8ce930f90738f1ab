import { expect, it } from "vitest";
import { niceTicks } from "./nice-ticks";

it.each([
  [0, [0, 0.5, 1]],
  [1, [0, 0.5, 1]],
  [3.9, [0, 1, 2, 3, 4]],
  [20, [0, 5, 10, 15, 20]],
  [97, [0, 50, 100]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [1_234, [0, 500, 1_000, 1_500]],
])("niceTicks are round and reach %s", (max, ticks) => {
  expect(niceTicks(max, 4)).toEqual(ticks);
});
