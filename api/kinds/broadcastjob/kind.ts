// BroadcastJob for the registry of kinds.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { applyBroadcastJobDefaults } from './defaults.ts';
import { type BroadcastJob, description } from './schema.ts';
import { validateBroadcastJob } from './validation.ts';

export const broadcastJob = defineKind(description, {
  applyDefaults: (object, _version, context) =>
    applyBroadcastJobDefaults(object as BroadcastJob, context) as JsonObject,
  validate: validateBroadcastJob,
  // Both versions have the same members.
  convert: (object) => object,
});
