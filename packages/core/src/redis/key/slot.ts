const SLOTS = 16_384;

/** The polynomial of CRC-16/XMODEM. */
const POLYNOMIAL = 0x1021;

const crcOfByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1)
    crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc;
});

/**
 * The hash slot of a key, 0 to 16383, as the Redis Cluster specification defines it: CRC-16/XMODEM
 * of the hash tag (what stands between the first `{` and the next `}`, if anything does), else of
 * the whole key. The key must be ASCII, as all of ours are. Never throws.
 */
export function slotOf(key: string): number {
  const open = key.indexOf("{");
  const close = open < 0 ? -1 : key.indexOf("}", open + 1);
  const hasTag = close > open + 1;
  const start = hasTag ? open + 1 : 0;
  const end = hasTag ? close : key.length;
  let crc = 0;
  for (let at = start; at < end; at += 1) {
    const index = ((crc >> 8) ^ key.charCodeAt(at)) & 0xff;
    crc = ((crc << 8) ^ (crcOfByte[index] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}
