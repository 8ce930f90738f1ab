/** Draws that gate and model read independently, each from the start. */
export function draws(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return ((count * 7919) % 101) / 101;
  };
}
