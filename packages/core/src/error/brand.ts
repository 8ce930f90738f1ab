/**
 * Gives an error class one identity across copies of the package (ESM beside CommonJS, two
 * versions): `instanceof` asks for the brand, not for the prototype.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === "object" && value !== null && brand in value;
}
