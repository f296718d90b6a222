import { describe, expect, test } from 'vitest';
import { effectiveGates, GateError, gateTable, isEnabled, parseGates } from '../../api/gates.ts';

function gates(text: string): (name: string) => boolean {
  const values = effectiveGates(parseGates(text));
  return (name) => isEnabled(values, name);
}

describe('the text of --feature-gates', () => {
  test('may have blanks, the words that Go takes for booleans, and nothing at all', () => {
    expect([...parseGates(' PodWebhook = T , CloneSetShortHash=1,WorkloadSpread=FALSE,')]).toEqual([
      ['PodWebhook', true],
      ['CloneSetShortHash', true],
      ['WorkloadSpread', false],
    ]);
    expect(parseGates('').size).toBe(0);
  });

  test.each([
    ['NoSuch=true', 'unknown feature gate "NoSuch"'],
    [
      'ResourceDistribution=true',
      'unknown feature gate "ResourceDistribution"; did you mean ResourceDistributionGate?',
    ],
    ['podwebhook=true', 'unknown feature gate "podwebhook"; did you mean PodWebhook?'],
    ['PodWebhook=yes', 'feature gate PodWebhook: expected true or false, got "yes"'],
    ['PodWebhook', 'feature gate "PodWebhook": expected NAME=true or NAME=false'],
    ['PodWebhook=', 'feature gate PodWebhook: expected true or false, got ""'],
  ])('%s is refused with what is wrong', (text, message) => {
    expect(() => parseGates(text)).toThrow(new GateError(message));
  });
});

describe('the values of the gates', () => {
  test('are the defaults if nothing is given', () => {
    const values = effectiveGates();
    for (const gate of gateTable) expect(values.get(gate.name), gate.name).toBe(gate.default);
  });

  test('follow AllAlpha and AllBeta where a gate is not named, whatever the order', () => {
    for (const text of ['CloneSetShortHash=false,AllAlpha=true', 'AllAlpha=true,CloneSetShortHash=false']) {
      const isOn = gates(text);
      expect([isOn('CloneSetShortHash'), isOn('SidecarTerminator')]).toEqual([false, true]);
      // Beta, hence off, which takes an alpha gate with it.
      expect([isOn('ResourcesDeletionProtection'), isOn('DeletionProtectionForCRDCascadingGate')]).toEqual([
        false,
        false,
      ]);
    }
  });

  test('of the conformance profile are all on but two', () => {
    const isOn = gates('AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false');
    expect(gateTable.filter((gate) => !isOn(gate.name)).map((gate) => gate.name)).toEqual([
      'TemplateNoDefaults',
      'EnableExternalCerts',
    ]);
  });

  test('without PodWebhook leave deletion protection alone but nothing that needs pods', () => {
    const isOn = gates('PodWebhook=false,ResourcesDeletionProtection=true,WorkloadSpread=true');
    expect(isOn('WorkloadSpread')).toBe(false);
    expect(isOn('PodUnavailableBudgetDeleteGate')).toBe(false);
    expect(isOn('ResourcesDeletionProtection')).toBe(true);
  });

  test('with image pre-download have image jobs, unless the daemon is off', () => {
    expect(gates('PreDownloadImageForInPlaceUpdate=true,ImagePullJobGate=false')('ImagePullJobGate')).toBe(true);
    const isOn = gates('KruiseDaemon=false,PreDownloadImageForInPlaceUpdate=true');
    expect([isOn('PreDownloadImageForInPlaceUpdate'), isOn('ImagePullJobGate')]).toEqual([false, false]);
  });

  test('take another default unless they are named', () => {
    const defaults = new Map([['PodWebhook', false]]);
    expect(effectiveGates(new Map(), defaults).get('PodWebhook')).toBe(false);
    expect(effectiveGates(parseGates('PodWebhook=true'), defaults).get('PodWebhook')).toBe(true);
  });

  test('are asked for by names that exist', () => {
    expect(() => isEnabled(effectiveGates(), 'NoSuch')).toThrow('no such feature gate: NoSuch');
  });
});
