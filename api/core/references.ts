// References to workloads, as several kinds have them: which of two name the same one.

/** A workload in the namespace of the object that refers to it. */
export type TargetReference = {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
};

/** The group of an apiVersion; '' for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Whether group, kind and name are equal; the version does not count. */
export function isSameTarget(a: TargetReference, b: TargetReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a.apiVersion ?? '') === groupOf(b.apiVersion ?? '');
}

/** Why an apiVersion is none, in Kubernetes' words; undefined if it is one. */
export function apiVersionFault(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
