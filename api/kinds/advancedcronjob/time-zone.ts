// Names of time zones, as the database of the platform has them. It comes with Node, so nothing on the host is read.

const platform = globalThis as unknown as {
  Temporal: { ZonedDateTime: new (epochNanoseconds: bigint, timeZone: string) => { readonly timeZoneId: string } };
};

/**
 * Why a name is no time zone, in the words that clients know; undefined if it is one. '' and `UTC` are UTC, `Local` is
 * the zone of the process; others are IANA names, in which case counts. (advancedcronjob 4.2)
 */
export function timeZoneFault(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name';
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

// The platform also reads offsets, and names in any case, which it tells in the right one.
function isKnown(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    return new platform.Temporal.ZonedDateTime(0n, name).timeZoneId === name;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
