// The effective feature gates of a program, from its flags and its environment.

import { effectiveGates, GateError, type Gates, parseGates } from '../api/gates.ts';
import { InputError } from './errors.ts';
import type { Environment } from './flags.ts';

/** `given` are the values of --feature-gates. Throws InputError naming the gate. */
export function readGates(given: readonly string[], environment: Environment): Gates {
  try {
    return effectiveGates(parseGates(given.join(',')), gateDefaults(environment));
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    throw new InputError(error.message, { field: '--feature-gates' }, { cause: error });
  }
}

// Compatibility: a list of enabled kinds without SidecarSet used to switch the pod webhooks off.
function gateDefaults(environment: Environment): Gates {
  const kinds = (environment.CUSTOM_RESOURCE_ENABLE ?? '').split(',').map((kind) => kind.trim());
  const isRestricted = kinds.some((kind) => kind !== '') && !kinds.includes('SidecarSet');
  return new Map(isRestricted ? [['PodWebhook', false]] : []);
}
