// The kinds of images between their versions: nothing is lost but what an older version cannot say (images 1.1).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dropEmptyMembers, type PullTemplate } from '../../../api/core/image-pull.ts';
import { cloneJson, type Json, type JsonObject } from '../../../api/core/json.ts';
import { imageListPullJob } from '../../../api/kinds/imagelistpulljob/kind.ts';
import { imagePullJob } from '../../../api/kinds/imagepulljob/kind.ts';
import type { Kind } from '../../../api/kinds/kind.ts';
import { nodeImage } from '../../../api/kinds/nodeimage/kind.ts';
import { arbitraryOf } from '../../support/arbitraries.ts';

/** Objects of a version, in the typed form. */
function objects(kind: Kind, version: string): fc.Arbitrary<JsonObject> {
  const described = kind.description.versions.find(({ name }) => name === version);
  if (described === undefined) throw new Error(version);
  return arbitraryOf(described.schema).map((given) => {
    const named = { ...(given as JsonObject), apiVersion: `${kind.group}/${version}`, kind: kind.kind };
    return kind.convert(named, version);
  });
}

const other = (version: string) => (version === 'v1beta1' ? 'v1alpha1' : 'v1beta1');
const thereAndBack = (kind: Kind, given: JsonObject, version: string) =>
  kind.convert(kind.convert(given, other(version)), version);

/** The object without the empty lists that Go does not write. */
function written(given: JsonObject): JsonObject {
  const copy = cloneJson(given);
  if (copy.spec !== undefined) dropEmptyMembers(copy.spec as PullTemplate);
  return copy;
}

describe.each(['v1alpha1', 'v1beta1'])('from %s and back', (version) => {
  test('an ImagePullJob is the same', () => {
    fc.assert(
      fc.property(objects(imagePullJob, version), (given) => {
        expect(thereAndBack(imagePullJob, given, version)).toEqual(written(given));
      }),
    );
  });

  test('an ImageListPullJob is the same, without entries that say nothing', () => {
    fc.assert(
      fc.property(objects(imageListPullJob, version), (given) => {
        const { failedImageStatuses, ...status } = (given.status ?? {}) as { failedImageStatuses?: JsonObject[] };
        const failed = failedImageStatuses?.filter((entry) => Object.keys(entry).length > 0) ?? [];
        const expected = { ...status, ...(failed.length > 0 && { failedImageStatuses: failed }) };
        expect(thereAndBack(imageListPullJob, given, version)).toEqual({
          ...written(given),
          ...(given.status !== undefined && { status: expected }),
        });
      }),
    );
  });

  test('a NodeImage is the same, with lists of tags and without the mode of secrets', () => {
    fc.assert(
      fc.property(objects(nodeImage, version), (given) => {
        const converted = thereAndBack(nodeImage, given, version);
        expect(withoutMode(converted)).toEqual(converted);
        expect(converted).toEqual(withTags(withoutMode(given)));
      }),
    );
  });
});

type Images = { [name: string]: JsonObject };

function mapImages(
  given: JsonObject,
  part: 'spec' | 'status',
  member: string,
  change: (image: JsonObject) => JsonObject,
) {
  const holder = given[part] as JsonObject | undefined;
  const images = holder?.[member] as Images | undefined;
  if (images === undefined) return given;
  const changed = Object.fromEntries(Object.entries(images).map(([name, image]) => [name, change(image)]));
  return { ...given, [part]: { ...holder, [member]: changed } };
}

function withoutMode(given: JsonObject): JsonObject {
  return mapImages(given, 'spec', 'images', (image) => {
    const secrets = image.pullSecrets as JsonObject[] | undefined;
    if (secrets === undefined) return image;
    return { ...image, pullSecrets: secrets.map(({ mode: _left, ...secret }): Json => secret) };
  });
}

function withTags(given: JsonObject): JsonObject {
  const filled = (image: JsonObject): JsonObject => ({ ...image, tags: image.tags ?? [] });
  return mapImages(mapImages(given, 'spec', 'images', filled), 'status', 'imageStatuses', filled);
}

test.each([imagePullJob, imageListPullJob])('empty lists that Go does not write are not written: $kind', (kind) => {
  const spec = { pullSecrets: [], selector: { names: [], matchLabels: {} }, completionPolicy: {} };
  const given = { apiVersion: 'apps.kruise.io/v1alpha1', kind: kind.kind, metadata: { name: 'a' }, spec };
  const { pullSecrets, selector } = kind.convert(given, 'v1beta1').spec as JsonObject;
  expect([pullSecrets, selector]).toEqual([undefined, {}]);
});
