/** 1234567.8 with 0 digits: `1 234 568`. */
export function decimal(value: number, digits = 0): string {
  const [whole = "", fraction] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, " ");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1.25x`. */
export function ratio(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)}x`;
}
