// Requests, settings and answers of the cluster damaged in every way that is easy to enumerate, given to the Kubewarden
// build: it never traps, answers in JSON with a verdict, and what it made of one call does not show in another.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { WapcGuest } from '../hosts/support/wapc-guest.ts';
import { mutants, reviewOf, richObjects, richPod } from './review-subjects.ts';

const root = new URL('../..', import.meta.url).pathname;
const module = `${root}dist/policy-kubewarden.wasm`;
const BUDGET: JsonObject = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: 'web', namespace: 'shop', uid: 'b' },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { desiredAvailable: 1, unavailableAllowed: 1 },
};

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build.ts', 'kubewarden'], { cwd: root });
}, 120_000);

const nothing = (operation: string): never => {
  throw new Error(`${operation}: not found`);
};

/** The verdict; a guest that has trapped throws. */
function verdictOf(guest: WapcGuest, payload: Json | string): { accepted: unknown } {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return JSON.parse(guest.call('validate', text)) as { accepted: unknown };
}

describe('the Kubewarden build', { timeout: 120_000 }, () => {
  const { request } = reviewOf(richPod()) as { request: JsonObject };
  const settings = {
    objects: richObjects(),
    systemNamespace: 'kruise-system',
    gates: { KruisePodReadinessGate: true },
  };

  it('decides about any request', () => {
    const guest = new WapcGuest(module, nothing);
    const whole = guest.call('validate', JSON.stringify({ request, settings }));
    expect(JSON.parse(whole)).toMatchObject({ accepted: true, mutated_object: { kind: 'Pod' } });
    for (const mutant of mutants(request)) {
      const { accepted } = verdictOf(guest, { request: mutant, settings });
      if (typeof accepted !== 'boolean') expect.fail(`no verdict about ${JSON.stringify(mutant)}`);
    }
    expect(guest.call('validate', JSON.stringify({ request, settings }))).toBe(whole);
  });

  it('decides with any settings, and those that it finds invalid refuse', () => {
    const guest = new WapcGuest(module, nothing);
    const small = { ...settings, objects: [BUDGET], cluster: ['Namespace'] };
    for (const mutant of mutants(small)) {
      const { valid } = JSON.parse(guest.call('validate_settings', JSON.stringify(mutant))) as { valid: unknown };
      const { accepted } = verdictOf(guest, { request, settings: mutant });
      if (typeof valid !== 'boolean' || typeof accepted !== 'boolean' || (!valid && accepted)) {
        expect.fail(`valid ${valid}, accepted ${accepted}: ${JSON.stringify(mutant)}`);
      }
    }
    const whole = JSON.stringify({ request, settings });
    expect(guest.call('validate', whole)).toBe(new WapcGuest(module, nothing).call('validate', whole));
  });

  it('takes any answer of the cluster', () => {
    let answer: Json = null;
    const guest = new WapcGuest(module, () => JSON.stringify(answer));
    const asking = {
      ...settings,
      objects: [],
      cluster: ['SidecarSet', 'Namespace', 'ConfigMap', 'PodUnavailableBudget'],
    };
    for (const mutant of mutants({ items: richObjects().slice(0, 1), metadata: {} })) {
      answer = mutant;
      const { accepted } = verdictOf(guest, { request, settings: asking });
      if (typeof accepted !== 'boolean') expect.fail(`no verdict with ${JSON.stringify(mutant)}`);
    }
  });

  it('refuses every beginning of a payload', () => {
    const guest = new WapcGuest(module, nothing);
    const whole = JSON.stringify({ request, settings: {} });
    for (let length = 0; length < whole.length; length += 7) {
      expect(verdictOf(guest, whole.slice(0, length)).accepted).toBe(false);
    }
  });
});
