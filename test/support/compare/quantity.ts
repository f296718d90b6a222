// Kubernetes quantities by value, as exact fractions. Independent of the product's own arithmetic on purpose.
import { isNumberToken } from '../../../api/core/json.ts';

type Fraction = { numerator: bigint; denominator: bigint };

const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([eE])([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LONGEST_EXPONENT = 3;

/** Whether both are quantities and mean the same amount. */
export function isSameQuantity(one: unknown, other: unknown): boolean {
  const [a, b] = [parse(one), parse(other)];
  return a !== undefined && b !== undefined && a.numerator * b.denominator === b.numerator * a.denominator;
}

// Members that hold one quantity, and members whose members all do.
const SINGLE = new Set(['divisor', 'sizeLimit']);
const MAPS = new Set(['limits', 'requests', 'capacity', 'overhead', 'hard', 'allocatedResources']);

/** Whether a quantity stands at this pointer. Expressions of a resources policy look like it, but are texts. */
export function isQuantityPlace(pointer: string): boolean {
  const tokens = pointer.split('/');
  if (tokens.includes('resourcesExpr')) return false;
  return SINGLE.has(tokens.at(-1) ?? '') || MAPS.has(tokens.at(-2) ?? '');
}

function parse(value: unknown): Fraction | undefined {
  const text = isNumberToken(value) ? value.rawJSON : value;
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  const match = QUANTITY.exec(String(text));
  if (match === null) return undefined;
  const [, sign, digits = '', , exponent, suffix = ''] = match;
  if (exponent !== undefined && exponent.replace(/^[+-]/, '').length > LONGEST_EXPONENT) return undefined;
  const [whole = '', fraction = ''] = digits.split('.');
  const power = Number(exponent ?? DECIMAL[suffix] ?? 0) - fraction.length;
  const binary = 1024n ** BigInt(BINARY.indexOf(suffix) + 1);
  const numerator = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`) * binary;
  return power < 0
    ? { numerator, denominator: 10n ** BigInt(-power) }
    : { numerator: numerator * 10n ** BigInt(power), denominator: 1n };
}
