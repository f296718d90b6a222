// C009: injected pull secrets must add to those of the pod (istio/istio PR 24365, jainishshah17/tugger#31,
// openkruise/kruise PR 672).
import { beforeAll, describe, expect, test } from 'vitest';
import { fieldCase } from '../support/field-case.ts';
import { Injection, NOW } from '../support/injection.ts';
import * as see from '../support/see.ts';

const { objects, request, object: pod } = fieldCase('C009');
const { object: _object, ...parts } = request;
let injection: Injection;
beforeAll(async () => {
  injection = await Injection.start();
});

describe('pull secrets', () => {
  test.each([
    ['as they were made', objects],
    ['in another order', objects.toReversed()],
  ])('of the pod come first, then each new one once, with sets that arrive %s', (_order, sets) => {
    const created = injection.hold(...sets).create(pod, parts);
    expect(see.pullSecrets(created)).toEqual([
      'builder-dockercfg-x7k2p',
      'regcred-shared',
      'regcred-logs',
      'regcred-mesh',
    ]);
  });

  test('of a paused set are left out, like its containers', () => {
    const created = injection.hold(...objects).create(pod, parts);
    expect(see.containers(created)).toEqual(['log-agent', 'mesh', 'shop']);
    expect(see.annotation('kruise.io/sidecarset-injected-list')(created)).toBe('a-logs,b-mesh');
    expect(see.annotation('team')(created)).toBe('commerce');
    expect(JSON.stringify(created)).not.toContain('paused');
  });

  test('are the same after a second review', () => {
    const once = injection.hold(...objects).create(pod, parts);
    const twice = injection.create(once, parts, NOW + 60_000);
    expect(see.withoutTimes(twice)).toEqual(see.withoutTimes(once));
  });
});
