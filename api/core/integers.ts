// Whole numbers in texts, read as Go reads them; why one is none is told in Go's words.

const BITS = { 32: 2147483647, 64: Number.MAX_SAFE_INTEGER } as const;

/** Why a text is no number. */
export type IntegerFault = 'invalid syntax' | 'value out of range';

/** A decimal integer of so many bits (64: as far as a double is exact), or why the text is none. */
export function parseInteger(digits: string, bits: keyof typeof BITS): number | IntegerFault {
  if (!/^[+-]?[0-9]+$/.test(digits)) return 'invalid syntax';
  const number = Number(digits) + 0;
  return number < -BITS[bits] - 1 || number > BITS[bits] ? 'value out of range' : number;
}

/** The number that an integer text stands for, or the fault as Go's `strconv.Atoi` words it. */
export function atoi(digits: string): number | string {
  const number = parseInteger(digits, 64);
  return typeof number === 'number' ? number : `strconv.Atoi: parsing ${JSON.stringify(digits)}: ${number}`;
}
