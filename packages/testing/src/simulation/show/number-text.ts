/** A number in a few characters: `0.0012`, `4.56`, `78.9`, `1469`, and `-` for what is none. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}

/** A share of 0 to 1 in per cent. */
export function percentText(share: number): string {
  return `${numberText(share * 100)} %`;
}
