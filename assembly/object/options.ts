// The options of a request, as far as decisions depend on them.

import { Text } from '../json/text';
import { View } from '../json/view';
import { Decoding } from './decode';

/** Why the options of a request cannot be read; null when they can. `type` is their Go type. */
export function optionsFault(options: View, type: string): Text | null {
  if (!options.isSet) {
    return Text.of('there is no content to decode');
  }
  const decoding = new Decoding();
  if (decoding.isWhole(options, type)) {
    decoding.isArrayOfStrings(options.get('dryRun'), type, 'dryRun');
  }
  return decoding.fault;
}

/** Does `dryRun` of the options say that nothing is to be written? */
export function isDryRun(options: View): bool {
  for (let stage = options.get('dryRun').first(); stage.exists; stage = stage.next()) {
    if (stage.is('All')) {
      return true;
    }
  }
  return false;
}
