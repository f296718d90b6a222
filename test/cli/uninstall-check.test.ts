// What keeps Sluice in a cluster, and how it is said.
import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../cli/cluster.ts';
import { StatusError } from '../../component/errors.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import { run } from './stand-in.ts';

type Found = Record<string, readonly ObjectReference[] | Error>;

function check(found: Found, ...flags: string[]) {
  const list: Cluster['list'] = async (apiVersion, kind, { limit } = {}) => {
    const objects = found[kind] ?? [];
    if (objects instanceof Error) throw objects;
    return objects
      .slice(0, limit)
      .map((one) => ({ apiVersion, kind, metadata: { uid: '', resourceVersion: '', ...one } }) as KubeObject);
  };
  return run(['uninstall-check', ...flags], { connect: async () => ({ list }) });
}

const many = Array.from({ length: 9 }, (_, i) => ({ namespace: 'shop', name: `web-${i}` }));

describe('uninstall-check', () => {
  test('an empty cluster lets go', async () => {
    expect(await check({})).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('workloads are in the way, first those with pods of their own, and at most five are named', async () => {
    const { code, stdout, stderr } = await check({ AdvancedCronJob: [{ namespace: 'a', name: 'b' }], CloneSet: many });
    expect(stdout).toBe(
      `in the way: clonesets.apps.kruise.io: ${many
        .slice(0, 5)
        .map(({ name }) => `shop/${name}`)
        .join(', ')}, and more\nin the way: advancedcronjobs.apps.kruise.io: a/b\n`,
    );
    expect(stderr).toContain('not uninstalled');
    expect(code).toBe(1);
  });

  test('other objects are left behind, unless their kinds go too', async () => {
    const found = { SidecarSet: [{ name: 'logs' }] };
    expect(await check(found)).toMatchObject({ code: 0, stdout: 'left behind: sidecarsets.apps.kruise.io: logs\n' });
    expect(await check(found, '--all-kinds')).toMatchObject({ code: 1, stdout: expect.stringContaining('in the way') });
  });

  test('objects that controllers make for each node never are', async () => {
    expect(await check({ NodeImage: [{ name: 'node-1' }] }, '--all-kinds')).toMatchObject({ code: 0, stdout: '' });
  });

  test('of a kind that the cluster does not know there are none; other errors leave it open', async () => {
    const missing = new StatusError(404, 'NotFound', 'the server could not find the requested resource');
    expect(await check({ CloneSet: missing })).toMatchObject({ code: 0 });
    const refused = new StatusError(403, 'Forbidden', 'clonesets is forbidden');
    expect(await check({ CloneSet: refused })).toMatchObject({
      code: 3,
      stderr: 'error: CloneSet: clonesets is forbidden\n',
    });
  });
});
