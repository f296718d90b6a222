// What numbers given as a percentage come to (cloneset 3.7, admission-overview 10.8).

/**
 * The number itself, or a percentage of `total`, rounded up; the percentage may have a fraction and an exponent. A text
 * tells why it is neither.
 */
export function scaledUp(value: number | string | undefined, total: number): number | { fault: string } {
  if (value === undefined) return { fault: 'nil value for IntOrString' };
  if (typeof value === 'number') return value;
  if (!value.endsWith('%')) return { fault: 'invalid type: string is not a percentage' };
  const digits = value.slice(0, -1);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(digits)) {
    const quoted = JSON.stringify(digits);
    return { fault: `invalid value ${JSON.stringify(value)}: strconv.ParseFloat: parsing ${quoted}: invalid syntax` };
  }
  return Math.ceil((Number(digits) * total) / 100) + 0;
}
