// The words of ResourceDistribution's field errors, those of OpenKruise where it has the rule, since users match on them.

export const wording = {
  resourceEmpty: 'empty resource is not allowed',
  unreadable: (reason: string) => `failed to deserialize resource, please check your spec.resource, err ${reason}`,
  noKind: (text: string) => `Object 'Kind' is missing in '${text}'`,
  notObject: (text: string) => `expected an object, got ${text}`,
  unsupported: 'unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
  immutable: 'resource apiVersion, kind, and name are immutable',
  nameMissing: 'resource must have a name',
  refused: (reason: string) => `spec.resource is invalid: ${reason}`,
  targetsTwice: (names: readonly string[]) =>
    `ambiguous targets because namespace [${names.join(' ')}] is in both ` +
    'IncludedNamespaces.List and ExcludedNamespaces.List',
  neverTarget: (name: string) => `spec.targets.includedNamespaces: nothing is ever distributed to ${name}`,
  selector: (reason: string) => `labelSelectorAsSelector error: ${reason}`,

  // What an API server answers to creating the resource.
  invalid: (kind: string, name: string, errors: string) => `${kind} ${name} is invalid: ${errors}`,
  undecodable: (kind: string, reason: string) => `${kind} in version "v1" cannot be handled as a ${kind}: ${reason}`,
  noMatch: (kind: string, version: string) => `no matches for kind "${kind}" in version "${version}"`,
  notBase64: (place: number) => `illegal base64 data at input byte ${place}`,
  keyInBoth: 'duplicate of key present in binaryData',
} as const;
