// PodProbeMarker for the registry of kinds. It has one version, so nothing is ever converted.
import { defineKind } from '../define.ts';
import { description } from './schema.ts';
import { validatePodProbeMarker } from './validation.ts';
import { warnPodProbeMarker } from './warnings.ts';

export const podProbeMarker = defineKind(description, {
  gates: ['PodProbeMarkerGate', 'KruiseDaemon'],
  decodesBeforeGates: true,
  errorCode: 400,
  applyDefaults: (object) => object,
  validate: validatePodProbeMarker,
  warnings: warnPodProbeMarker,
  convert: (object) => object,
});
