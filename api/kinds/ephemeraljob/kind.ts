// EphemeralJob for the registry of kinds. It has no defaults and one version.
import { defineKind } from '../define.ts';
import { description } from './schema.ts';
import { validateEphemeralJob } from './validation.ts';

export const ephemeralJob = defineKind(description, {
  errorCode: 400,
  applyDefaults: (object) => object,
  validate: validateEphemeralJob,
  convert: (object) => object,
});
