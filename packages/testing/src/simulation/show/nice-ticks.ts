/**
 * Round numbers from 0 up to at least `max`, 1, 2 or 5 x 10^n apart: at most `parts` steps, and not
 * much fewer.
 */
export function niceTicks(max: number, parts: number): readonly number[] {
  const least = max > 0 ? max : 1;
  const rough = least / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power;
  const count = Math.ceil(least / step - 1e-9);
  // Rounded, since 3 x 0.1 is not 0.3.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
