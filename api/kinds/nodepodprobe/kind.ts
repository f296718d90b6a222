// NodePodProbe for the registry of kinds. No webhook looks at it, and it has one version.
import { defineKind } from '../define.ts';
import { description } from './schema.ts';

export const nodePodProbe = defineKind(description, {
  applyDefaults: (object) => object,
  validate: () => [],
  convert: (object) => object,
});
