// Lists of kinds of workloads in the ConfigMap kruise-configuration (workloadspread 6, persistentpodstate 1.4).
import { expect, test } from 'vitest';
import { customWorkloadFields, customWorkloadList, customWorkloads } from '../../../api/core/custom-workloads.ts';
import type { Json } from '../../../api/core/json.ts';
import { struct } from '../../../api/core/schema.ts';

const schema = customWorkloadList('configuration.List', struct('configuration.Entry', customWorkloadFields));
const read = (text: string) => customWorkloads({ data: { key: text } }, 'key', schema);
const rollout = { Group: 'argoproj.io', Version: 'v1alpha1', Kind: 'Rollout' };

test('members are found whatever the case of their letters', () => {
  expect(read(JSON.stringify({ workloads: [rollout] }))).toEqual([rollout]);
  const lower = { WORKLOADS: [{ group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout', unknown: 1 }] };
  expect(read(JSON.stringify(lower))).toEqual([rollout]);
});

test.each<[string, Json | undefined]>([
  ['no ConfigMap', undefined],
  ['no data', {}],
  ['no such key', { data: { other: 'nonsense' } }],
  ['an empty text', { data: { key: '' } }],
  ['no entries', { data: { key: '{}' } }],
  ['null', { data: { key: 'null' } }],
])('%s is no list', (_what, configMap) => {
  expect(customWorkloads(configMap as never, 'key', schema)).toEqual([]);
});

test.each([
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  [
    '{"workloads":3}',
    'json: cannot unmarshal number into Go struct field List.workloads of type []configuration.Entry',
  ],
  ['[]', 'json: cannot unmarshal array into Go value of type configuration.List'],
  [
    '{"workloads":[{"kind":1}]}',
    'json: cannot unmarshal number into Go struct field Entry.workloads.Kind of type string',
  ],
])('%s cannot be read, and the reason is told', (text, reason) => {
  expect(read(text)).toBe(reason);
});
