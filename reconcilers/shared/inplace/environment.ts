// Environment variables that stand for a label or an annotation of the pod: such a container is restarted when the value
// changes (inplace-update 2.4 and 6.5).

import { SIDECARSET_VERSION_ALT_ENV, SIDECARSET_VERSION_ENV } from '../../../api/names.ts';
import type { EnvironmentVariable, PodContainer } from '../pod.ts';

/** A label or an annotation that a variable stands for. */
export type MetadataReference = {
  readonly variable: string;
  readonly from: 'labels' | 'annotations';
  readonly key: string;
};

const fieldPath = /^metadata\.(labels|annotations)\['(.*)'\]$/s;
// Hot upgrades of SidecarSets change these annotations without a restart.
const ignored: ReadonlySet<string> = new Set([SIDECARSET_VERSION_ENV, SIDECARSET_VERSION_ALT_ENV]);

/** In the order of the variables. */
export function metadataReferences({ env = [] }: PodContainer): readonly MetadataReference[] {
  return env.flatMap((variable) => referenceOf(variable) ?? []);
}

function referenceOf({ name, value = '', valueFrom }: EnvironmentVariable): MetadataReference | undefined {
  const match = fieldPath.exec(valueFrom?.fieldRef?.fieldPath ?? '');
  if (match === null || value !== '' || ignored.has(name)) return undefined;
  return { variable: name, from: match[1] as 'labels' | 'annotations', key: match[2] ?? '' };
}
