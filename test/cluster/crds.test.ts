// The CRDs of the chart in a real API server.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, conditionOf, createCrds } from './bed/installation.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

type Names = { kind: string; plural: string; shortNames?: string[] };

describe.skipIf(missing.length > 0)('a real API server', () => {
  let bed: Bed;
  let created: JsonObject[];
  const crds = chartCrds();

  beforeAll(async () => {
    bed = await Bed.start();
    created = await createCrds(bed.client, crds);
  });
  afterAll(() => bed?.close());

  test.each(crds.map(nameOf))('accepts the CRD %s and serves it', (name) => {
    const crd = created.find((one) => nameOf(one) === name) ?? {};
    expect(conditionOf(crd, 'Established')?.status).toBe('True');
    expect(conditionOf(crd, 'NamesAccepted')?.status).toBe('True');
    expect(conditionOf(crd, 'NonStructuralSchema')).toBeUndefined();
    expect(conditionOf(crd, 'KubernetesAPIApprovalPolicyConformant')).toBeUndefined();
  });

  test.each(crds.map((crd) => [nameOf(crd), crd] as const))('keeps everything that the CRD %s says', (name, crd) => {
    const stored = created.find((one) => nameOf(one) === name);
    expect(stored?.spec).toMatchObject(crd.spec as object);
  });

  test.each(versions(crds))('explains the fields of %s in %s', async (resource, version, name) => {
    const { code, stdout, stderr } = await bed.kubectl(['explain', `${resource}.spec`, `--api-version=${version}`]);
    expect(stderr).toBe('');
    expect(stdout).toContain(`KIND:       ${name}`);
    expect(stdout).toContain('FIELDS:');
    expect(code).toBe(0);
  });

  test.each([...new Set(crds.map(groupOf))])('knows the short names of %s', async (group) => {
    const { stdout } = await bed.kubectl(['api-resources', '--no-headers', `--api-group=${group}`]);
    const lines = stdout.split('\n').map((line) => line.split(/[ ,]+/));
    for (const { plural, kind, shortNames = [] } of crds.filter((crd) => groupOf(crd) === group).map(namesOf)) {
      const line = lines.find(([first]) => first === plural);
      expect(line).toEqual(expect.arrayContaining([...shortNames, kind]));
    }
  });

  test('takes what `sluice crds` prints by server-side apply, and finds nothing to change', async () => {
    const versions = async (): Promise<unknown[]> => {
      const answers = await Promise.all(crds.map((crd) => bed.client.get(`${CRDS}/${nameOf(crd)}`)));
      return answers.map(({ body }) => (body.metadata as JsonObject).generation);
    };
    const before = await versions();
    const printed = execFileSync(process.execPath, ['dist/sluice.mjs', 'crds'], { encoding: 'utf8' });
    // The file that created them is another manager of the same fields.
    const { code, stdout, stderr } = await bed.kubectl(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      printed,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/serverside-applied/g)).toHaveLength(crds.length);
    expect(await versions()).toEqual(before);
  });

  test('prints the columns of every kind', async () => {
    const { code, stderr } = await bed.kubectl(['get', crds.map(nameOf).join(','), '--all-namespaces']);
    expect([stderr.trim(), code]).toEqual(['No resources found', 0]);
  });
});

function versions(crds: readonly JsonObject[]): [resource: string, version: string, kind: string][] {
  return crds.flatMap((crd) => {
    const { group, versions: all } = crd.spec as { group: string; versions: JsonObject[] };
    const { plural, kind } = namesOf(crd);
    return all.map(({ name }): [string, string, string] => [plural, `${group}/${name}`, kind]);
  });
}

function groupOf(crd: JsonObject): string {
  return String((crd.spec as JsonObject).group);
}

function namesOf(crd: JsonObject): Names {
  return (crd.spec as { names: Names }).names;
}

function nameOf(object: JsonObject): string {
  return String(isObject(object.metadata) ? object.metadata.name : '');
}
