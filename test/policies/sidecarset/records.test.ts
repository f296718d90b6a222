// Records of an earlier injection that a manifest brings along, whole, old, odd or empty (sidecarset.md 5.4.2, 5.8, 9.1).
import { describe, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { initSidecar, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { expectRow, type Row } from '../../support/injection-rows.ts';
import * as see from '../../support/see.ts';

const HASH = 'kruise.io/sidecarset-hash';
const WITHOUT_IMAGE = 'kruise.io/sidecarset-hash-without-image';
const LIST = 'kruise.io/sidecarset-injected-list';
const WORKING = 'kruise.io/sidecarset-working-hotupgrade-container';

const HOT = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' } };
const plain = sidecarSet('s', { containers: [sidecar('x')] });
const hot = sidecarSet('s', { containers: [sidecar('z', HOT)] });
const carrying = (annotations: Record<string, string>): JsonObject => pod({ annotations });
const read = (name: string, pick: (value: JsonObject) => Json | undefined) => (created: JsonObject) =>
  pick(JSON.parse(String(see.annotation(name)(created))));
const now = '2026-07-02T08:00:00Z';
const entry = (hash: string, more: JsonObject = {}): JsonObject => ({
  updateTimestamp: now,
  hash,
  sidecarSetName: 's',
  sidecarList: ['x'],
  ...more,
});

const records: Row[] = [
  ...[HASH, WITHOUT_IMAGE, LIST, WORKING].map(
    (name): Row => ({
      rule: `an empty ${name} counts as none`,
      objects: [plain],
      pod: carrying({ [name]: '' }),
      see: see.annotation(LIST),
      expected: 's',
    }),
  ),
  {
    rule: 'hashes that are null count as none',
    objects: [plain],
    pod: carrying({ [HASH]: 'null' }),
    see: read(HASH, (value) => value),
    expected: { s: entry('h-s', { controllerRevision: 's-r1' }) },
  },
  {
    rule: 'hashes in a list refuse the pod',
    objects: [plain],
    pod: carrying({ [HASH]: '[]' }),
    refused: /sidecarset-hash/,
  },
  {
    rule: 'a hash that is a number refuses the pod',
    objects: [plain],
    pod: carrying({ [WITHOUT_IMAGE]: '{"a":5}' }),
    refused: /sidecarset-hash-without-image/,
  },
  {
    rule: 'of a set that stands twice the last entry counts',
    objects: [plain],
    pod: carrying({ [HASH]: '{"a":"1","b":"2","a":"3"}' }),
    see: read(HASH, ({ a, b }) => [a, b].map((one) => (one as JsonObject).hash ?? null)),
    expected: ['3', '2'],
  },
  {
    rule: 'members are read whatever the case of their letters, and written as always',
    objects: [plain],
    pod: carrying({
      [HASH]:
        '{"a":{"Hash":"1","HASH":"2","SidecarSetName":"A","sidecarlist":["q"],"UpdateTimeStamp":"2020-01-01T00:00:00Z","ControllerRevision":"r"}}',
    }),
    see: read(HASH, ({ a }) => a),
    expected: {
      updateTimestamp: '2020-01-01T00:00:00Z',
      hash: '2',
      sidecarSetName: 'A',
      sidecarList: ['q'],
      controllerRevision: 'r',
    },
  },
  {
    rule: 'half a character is U+FFFD',
    objects: [plain],
    pod: carrying({ [HASH]: '{"a\\udfff":"1\\ud800","b":"\\ud83d\\ude00"}' }),
    see: read(HASH, (value) => [value['a\ufffd'], value.b].map((one) => (one as JsonObject).hash ?? null)),
    expected: ['1\ufffd', '😀'],
  },
  {
    rule: 'a member of the wrong type refuses the pod, whatever the case of its letters',
    objects: [plain],
    pod: carrying({ [HASH]: '{"a":{"HASH":5}}' }),
    refused: /sidecarset-hash/,
  },
  {
    rule: 'one of the two annotations may be of the old form',
    objects: [plain],
    pod: carrying({ [WITHOUT_IMAGE]: '{"old":"abc"}' }),
    see: read(WITHOUT_IMAGE, (value) => value),
    expected: {
      old: { updateTimestamp: null, hash: 'abc', sidecarSetName: 'old', sidecarList: null },
      s: entry('hw-s'),
    },
  },
  {
    rule: 'the entry of the set itself is written anew, without a revision if it has none now',
    objects: [sidecarSet('s', { containers: [sidecar('x')], latestRevision: '' })],
    pod: carrying({
      [HASH]: JSON.stringify({ s: entry('old', { sidecarList: ['q'], controllerRevision: 'r0' }) }),
    }),
    see: read(HASH, (value) => value),
    expected: { s: entry('h-s') },
  },
  {
    rule: 'a time of another zone is told in UTC',
    objects: [plain],
    pod: carrying({ [HASH]: JSON.stringify({ a: entry('h', { updateTimestamp: '2020-01-01T02:00:00+02:00' }) }) }),
    see: read(HASH, (value) => (value.a as JsonObject).updateTimestamp),
    expected: '2020-01-01T00:00:00Z',
  },
  {
    rule: 'names in the list come once',
    objects: [plain],
    pod: carrying({ [LIST]: 's,s,b' }),
    see: see.annotation(LIST),
    expected: 'b,s',
  },
  {
    rule: 'sidecars are listed by name, of pairs the base, of init containers those that restart',
    objects: [
      sidecarSet('s', {
        containers: [sidecar('z', HOT), sidecar('m')],
        initContainers: [initSidecar('k', { restartPolicy: 'Always' }), initSidecar('plain')],
      }),
    ],
    see: read(HASH, (value) => (value.s as JsonObject).sidecarList),
    expected: ['k', 'm', 'z'],
  },
  ...['["a"]', '{"a":1}', 'null', '{'].map(
    (text): Row => ({
      rule: `working containers given as ${text} are forgotten`,
      objects: [hot],
      pod: carrying({ [WORKING]: text }),
      see: see.annotation(WORKING),
      expected: '{"z":"z-1"}',
    }),
  ),
  {
    rule: 'of a pair, the one that the manifest has is replaced and the other one added',
    objects: [hot],
    pod: pod({ containers: [container('app'), container('z-2')] }),
    see: see.images,
    expected: ['z-1 registry.example.com/shop/z:1', 'app registry.example.com/shop/app:1', 'z-2 example.com/empty:1'],
  },
  {
    rule: 'what two sets call alike replaces the entry of the manifest one after the other',
    objects: ['s1', 's2'].map((name) => sidecarSet(name, { containers: [sidecar('app', { image: name })] })),
    see: see.images,
    expected: ['app s2'],
  },
];

describe('an earlier injection:', () => {
  test.each(records)('$rule', expectRow);
});
