// Which annotations a SidecarSet may put on pods: a list that the operator keeps in a ConfigMap. (sidecarset 4.6)
import { isObject, type JsonObject } from '../../core/json.ts';
import { readJsonText } from '../../core/json-text.ts';
import { LabelSelector } from '../../core/meta.ts';
import { list, optional, pointer, type Static, struct, text } from '../../core/schema.ts';
import { matchesSelector, selectorFault } from '../../core/selector.ts';
import { KRUISE_CONFIGURATION, SIDECARSET_PATCH_WHITELIST_KEY } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import type { SidecarSet } from './schema.ts';
import { wording } from './wording.ts';

const GATE = 'SidecarSetPatchPodMetadataDefaultsAllowed';

const Whitelist = struct('configuration.SidecarSetPatchMetadataWhiteList', {
  rules: optional(
    list(
      struct('configuration.SidecarSetPatchMetadataWhiteRule', {
        selector: pointer(LabelSelector),
        allowedAnnotationKeyExprs: optional(list(text())),
      }),
    ),
  ),
});
type Rules = NonNullable<Static<typeof Whitelist>['rules']>;

/** Why the annotations of `patchPodMetadata` may not be put on pods; undefined if they may. */
export function whitelistFault(set: SidecarSet, context: ValidationContext): string | undefined {
  const patches = set.spec?.patchPodMetadata ?? [];
  if (patches.length === 0) return undefined;
  const rules = readRules(context.configMap(context.systemNamespace, KRUISE_CONFIGURATION));
  if (typeof rules === 'string') return wording.whitelistUnreadable(rules);
  const patterns = rules
    .filter(({ selector }) => selector === undefined || matchesSelector(selector, set.metadata?.labels))
    .flatMap((rule) => rule.allowedAnnotationKeyExprs ?? []);
  if (patterns.length === 0) {
    return context.gates.get(GATE) === true ? undefined : wording.nothingAllowed(context.systemNamespace);
  }
  for (const pattern of patterns) {
    const fault = context.checkPattern(pattern);
    if (fault !== undefined) return wording.whitelistUnreadable(fault);
  }
  for (const { annotations = {} } of patches) {
    const refused = Object.keys(annotations).find((key) => {
      return !patterns.some((pattern) => context.matchesPattern(pattern, key));
    });
    if (refused !== undefined) return wording.annotationNotAllowed(refused);
  }
  return undefined;
}

/** The rules, none if there is no list; a text says why the list cannot be read. */
function readRules(configMap: JsonObject | undefined): Rules | string {
  const data = configMap?.data;
  const list = isObject(data) ? data[SIDECARSET_PATCH_WHITELIST_KEY] : undefined;
  if (typeof list !== 'string' || list === '') return [];
  const read = readJsonText(Whitelist, list);
  return 'fault' in read ? read.fault : checkedRules(read.value?.rules ?? []);
}

function checkedRules(rules: Rules): Rules | string {
  for (const { selector } of rules) {
    const fault = selector === undefined ? undefined : selectorFault(selector);
    if (fault !== undefined) return fault;
  }
  return rules;
}
