// Decoding and encoding together, against texts that Go's encoding/json wrote for the same input (k8s.io/api 0.32).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Container } from '../../../api/core/containers.ts';
import { decode, formatDecodeError } from '../../../api/core/decode.ts';
import { encode, encodeSorted } from '../../../api/core/encode.ts';
import { type Json, parseJson } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { always, list, optional, quantity, struct, text } from '../../../api/core/schema.ts';
import { PersistentVolumeClaim } from '../../../api/core/volumes.ts';
import { SidecarSet } from '../../../api/kinds/sidecarset/schema.ts';
import { anyJson, arbitraryOf, nearlyOf } from '../../support/arbitraries.ts';

function roundTrip(text: string): string {
  const { value, errors } = decode(PodTemplateSpec, parseJson(text));
  expect(errors).toEqual([]);
  return encode(PodTemplateSpec, value as Json);
}
function errorsOf(text: string): string[] {
  return decode(PodTemplateSpec, parseJson(text)).errors.map(formatDecodeError);
}

describe('the text of the typed form', () => {
  test.each([
    ['{}', '{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}'],
    [
      '{"spec":{"terminationGracePeriodSeconds":9007199254740993,"activeDeadlineSeconds":-9223372036854775808}}',
      '{"metadata":{"creationTimestamp":null},"spec":{"containers":null,"terminationGracePeriodSeconds":9007199254740993,"activeDeadlineSeconds":-9223372036854775808}}',
    ],
    [
      '{"spec":{"overhead":{"cpu":1e3,"memory":1.50,"a":10000000000000000000001}}}',
      '{"metadata":{"creationTimestamp":null},"spec":{"containers":null,"overhead":{"a":"10000000000000000000001","cpu":"1e3","memory":"1500m"}}}',
    ],
    [
      '{"spec":{"containers":[null,{"args":[null,"a"],"nope":1}]},"metadata":{"labels":{"a":null}}}',
      '{"metadata":{"creationTimestamp":null,"labels":{"a":""}},"spec":{"containers":[{"name":"","resources":{}},{"name":"","args":["","a"],"resources":{}}]}}',
    ],
    [
      '{"metadata":{"annotations":{"\\ud83d\\ude00":"1","\\uffee":"<&>","b":"\\u2028\\b\\f\\u0001\\u007f\\ud800"},"creationTimestamp":"2026-02-04T07:00:00+02:00"},"spec":{"containers":[]}}',
      '{"metadata":{"creationTimestamp":"2026-02-04T05:00:00Z","annotations":{"b":"\\u2028\\b\\f\\u0001\u007f\ufffd","\uffee":"\\u003c\\u0026\\u003e","😀":"1"}},"spec":{"containers":[]}}',
    ],
    [
      '{"spec":{"containers":[{"readinessProbe":{"grpc":{"port":9}},"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}],"stdin":false,"securityContext":{"privileged":false},"ports":[{"containerPort":0,"hostPort":0}],"command":[]}]}}',
      '{"metadata":{"creationTimestamp":null},"spec":{"containers":[{"name":"","ports":[{"containerPort":0}],"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}],"resources":{},"readinessProbe":{"grpc":{"port":9,"service":null}},"securityContext":{"privileged":false}}]}}',
    ],
    [
      '{"spec":{"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"dataSource":{"kind":"S"}}}}},{"scaleIO":{}},{"projected":{}}]}}',
      '{"metadata":{"creationTimestamp":null},"spec":{"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":{"creationTimestamp":null},"spec":{"resources":{},"dataSource":{"apiGroup":null,"kind":"S","name":""}}}}},{"name":"","scaleIO":{"gateway":"","system":"","secretRef":null}},{"name":"","projected":{"sources":null}}],"containers":null}}',
    ],
  ])('of %s is as Go writes it', (given, written) => {
    expect(roundTrip(given)).toBe(written);
  });

  test.each([
    ['pod templates', PodTemplateSpec],
    ['claims', PersistentVolumeClaim],
    ['SidecarSets', SidecarSet],
  ])('reads back as the same: %s', (_what, schema) => {
    fc.assert(
      fc.property(arbitraryOf(schema), (given) => {
        const { value, errors } = decode(schema, given);
        expect(errors).toEqual([]);
        const text = encode(schema, value as Json);
        expect(JSON.parse(text)).toBeTypeOf('object');
        expect(encode(schema, decode(schema, parseJson(text)).value as Json)).toBe(text);
      }),
    );
  });

  test('sorts untyped maps by bytes and writes numbers as doubles', () => {
    const value = parseJson('{"b":{"\\uffee":1,"\\ud83d\\ude00":"<"},"a":[9007199254740993,1e21,1.50,true,null]}');
    expect(encodeSorted(value)).toBe('{"a":[9007199254740992,1e+21,1.5,true,null],"b":{"\uffee":1,"😀":"\\u003c"}}');
  });
});

describe('the typed form', () => {
  test('adds nothing that only typing adds, and keeps what was given of it', () => {
    const given = { metadata: { creationTimestamp: null }, spec: { containers: [{ name: 'a', resources: {} }] } };
    expect(decode(PodTemplateSpec, given).value).toEqual(given);
    expect(decode(PodTemplateSpec, { metadata: {}, spec: { containers: [{ name: 'a' }] } }).value).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'a' }] },
    });
  });

  test('tells which members it does not know, and drops them', () => {
    const { value, unknown } = decode(Container, { name: 'a', imagee: 'x', env: [{ name: 'b', valu: 1 }] });
    expect(value).toEqual({ name: 'a', env: [{ name: 'b' }] });
    expect(unknown).toEqual(['imagee', 'env[0].valu']);
  });

  test('is stable and leaves the input alone', () => {
    fc.assert(
      fc.property(arbitraryOf(PodTemplateSpec), (given) => {
        const before = JSON.stringify(given);
        const { value } = decode(PodTemplateSpec, given);
        expect(JSON.stringify(given)).toBe(before);
        expect(JSON.stringify(decode(PodTemplateSpec, value as Json).value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test('has no prototype trick in it', () => {
    const { value } = decode(
      PodTemplateSpec,
      parseJson('{"metadata":{"labels":{"__proto__":"x"}},"spec":{},"__proto__":{"a":1}}'),
    );
    expect(JSON.stringify(value)).toBe('{"metadata":{"labels":{"__proto__":"x"}},"spec":{}}');
  });
});

describe('what does not decode', () => {
  test.each([
    ['{"spec":{"containers":"none"}}', ['spec.containers: expected array, got string']],
    ['{"spec":{"containers":[{"name":1}]}}', ['spec.containers[0].name: expected string, got number']],
    [
      '{"spec":{"containers":[1,{"stdin":"yes"}]}}',
      ['spec.containers[0]: expected object, got number', 'spec.containers[1].stdin: expected boolean, got string'],
    ],
    ['{"metadata":{"labels":{"a/b":{}}}}', ['metadata.labels[a/b]: expected string, got object']],
    ['{"spec":{"priority":1.5}}', ['spec.priority: expected a 32-bit integer, got 1.5']],
    ['{"spec":{"priority":2147483648}}', ['spec.priority: expected a 32-bit integer, got 2147483648']],
    ['{"spec":{"priority":1.0}}', ['spec.priority: expected a 32-bit integer, got 1.0']],
    [
      '{"spec":{"activeDeadlineSeconds":9223372036854775808}}',
      ['spec.activeDeadlineSeconds: expected a 64-bit integer, got 9223372036854775808'],
    ],
    ['{"spec":{"overhead":{"cpu":"1x"}}}', ['spec.overhead[cpu]: expected a quantity such as 500m or 1Gi, got "1x"']],
    ['{"spec":{"overhead":{"cpu":true}}}', ['spec.overhead[cpu]: expected a quantity such as 500m or 1Gi, got true']],
    [
      '{"metadata":{"creationTimestamp":"yesterday"}}',
      ['metadata.creationTimestamp: expected a time such as 2026-01-31T08:00:00Z, got "yesterday"'],
    ],
    [
      '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":[]}}}]}}',
      ['spec.containers[0].livenessProbe.httpGet.port: expected integer or string, got array'],
    ],
    ['[]', ['expected object, got array']],
  ])('%s names the member and what was expected', (text, errors) => {
    expect(errorsOf(text)).toEqual(errors);
  });

  test.each([
    [
      '{"spec":{"containers":"none"}}',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      '{"spec":{"containers":[{"name":1}]}}',
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      '{"spec":{"priority":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      '{"metadata":{"creationTimestamp":[]}}',
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      '{"spec":{"containers":[{"lifecycle":{"preStop":{"tcpSocket":{"port":{}}}}}]}}',
      'json: cannot unmarshal object into Go struct field TCPSocketAction.spec.containers.lifecycle.preStop.tcpSocket.port of type int32',
    ],
    [
      '{"spec":{"containers":[{"lifecycle":{"preStop":{"tcpSocket":{"port":1.5}}}}]}}',
      'json: cannot unmarshal number 1.5 into Go struct field TCPSocketAction.spec.containers.lifecycle.preStop.tcpSocket.port of type int32',
    ],
    ['[]', 'json: cannot unmarshal array into Go value of type v1.PodTemplateSpec'],
  ])('%s is told in the words of Go too', (text, goText) => {
    expect(decode(PodTemplateSpec, parseJson(text)).errors[0]?.goText).toBe(goText);
  });

  test('never throws, and without errors the value is well-typed', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyOf(PodTemplateSpec), anyJson), (given) => {
        const { value, errors } = decode(PodTemplateSpec, given);
        const again = decode(PodTemplateSpec, value as Json);
        expect(again.errors).toEqual([]);
        expect(again.unknown).toEqual([]);
        if (errors.length > 0) expect(errors.every((error) => error.text.startsWith('expected'))).toBe(true);
        encode(PodTemplateSpec, value as Json);
      }),
    );
  });
});

describe('what a schema says about absent and unknown members', () => {
  const inner = struct('v1.Inner', { name: optional(text()), size: always(quantity(), '', { filled: true }) });
  const outer = struct('v1.Outer', {
    kept: optional(inner, '', { keepUnknown: true }),
    list: optional(list(inner), '', { keepUnknown: true }),
    plain: optional(inner),
    made: always(struct('v1.Made', { a: optional(text()) }), '', { filled: true }),
  });

  test('unknown members stay where they are to be kept, however deep, and nowhere else', () => {
    const given = { name: 'a', size: '1', newMember: { b: [null] } };
    const { value, unknown } = decode(outer, { kept: given, list: [given], plain: given, other: 1 });
    expect(value).toEqual({ kept: given, list: [given], plain: { name: 'a', size: '1' }, made: {} });
    expect(unknown).toEqual(['kept.newMember', 'list[0].newMember', 'plain.newMember', 'other']);
  });

  test('members that Go always writes are there', () => {
    expect(decode(outer, { plain: { name: 'a' } }).value).toEqual({ plain: { name: 'a', size: '0' }, made: {} });
  });

  test('an unknown member called __proto__ stays a member', () => {
    const { value } = decode(outer, { kept: JSON.parse('{"size":"1","__proto__":{"a":1}}') as Json });
    expect(JSON.stringify(value.kept)).toBe('{"size":"1","__proto__":{"a":1}}');
  });
});
