// The rules by which Services lead to their endpoints.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { serviceRules } from './bed/service-rules.ts';

type Ports = { name?: string; protocol?: string; port: number; nodePort?: number }[];

const service = (spec: JsonObject): JsonObject => ({
  metadata: { namespace: 'shop', name: 'cart' },
  spec: { clusterIP: '10.96.0.7', ports: [{ port: 80 }], ...spec },
});

const slice = (addresses: string[], ports: Ports = [{ port: 8080 }], more: JsonObject = {}): JsonObject => ({
  metadata: { namespace: 'shop', name: 'cart-x', labels: { 'kubernetes.io/service-name': 'cart' } },
  addressType: 'IPv4',
  ports: ports.map((port) => ({ ...port })),
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ...more,
});

const rulesOf = (services: JsonObject[], slices: JsonObject[]) =>
  serviceRules(services, slices)
    .split('\n')
    .filter((line) => line.startsWith('-A'));

describe('rules', () => {
  test('lead to each endpoint with the same likelihood', () => {
    expect(rulesOf([service({})], [slice(['10.244.1.3', '10.244.2.3']), slice(['10.244.3.3'])])).toEqual([
      '-A SERVICES -d 10.96.0.7/32 -p tcp --dport 80 -m statistic --mode random --probability 0.333333 -j DNAT --to-destination 10.244.1.3:8080',
      '-A SERVICES -d 10.96.0.7/32 -p tcp --dport 80 -m statistic --mode random --probability 0.500000 -j DNAT --to-destination 10.244.2.3:8080',
      '-A SERVICES -d 10.96.0.7/32 -p tcp --dport 80 -j DNAT --to-destination 10.244.3.3:8080',
    ]);
  });

  test('pair ports by name and protocol', () => {
    const ports = [
      { name: 'web', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    const served = [
      { name: 'dns', port: 5353, protocol: 'UDP' },
      { name: 'web', port: 8080, protocol: 'TCP' },
    ];
    expect(rulesOf([service({ ports })], [slice(['10.244.1.3'], served)])).toEqual([
      '-A SERVICES -d 10.96.0.7/32 -p tcp --dport 80 -j DNAT --to-destination 10.244.1.3:8080',
      '-A SERVICES -d 10.96.0.7/32 -p udp --dport 53 -j DNAT --to-destination 10.244.1.3:5353',
    ]);
  });

  test('lead from node ports too', () => {
    expect(rulesOf([service({ ports: [{ port: 80, nodePort: 30080 }] })], [slice(['10.244.1.3'])])).toContain(
      '-A SERVICES -m addrtype --dst-type LOCAL -p tcp --dport 30080 -j DNAT --to-destination 10.244.1.3:8080',
    );
  });

  test.each([
    ['there is no slice', []],
    [
      'no endpoint is ready',
      [slice([], [{ port: 8080 }], { endpoints: [{ addresses: ['10.244.1.3'], conditions: { ready: false } }] })],
    ],
    [
      'the slice is of another Service',
      [
        slice(['10.244.1.3'], [{ port: 8080 }], {
          metadata: { namespace: 'other', name: 'x', labels: { 'kubernetes.io/service-name': 'cart' } },
        }),
      ],
    ],
    ['its port has another name', [slice(['10.244.1.3'], [{ name: 'metrics', port: 9090 }])]],
  ])('refuse connections when %s', (_when, slices) => {
    expect(rulesOf([service({})], slices)).toEqual(['-A SERVICES -d 10.96.0.7/32 -p tcp --dport 80 -j REJECT']);
  });

  test('are not there for Services without a cluster IP', () => {
    const without = [service({ clusterIP: 'None' }), service({ clusterIP: 'fd00::7' }), { metadata: {}, spec: {} }];
    expect(rulesOf(without, [slice(['10.244.1.3'])])).toEqual([]);
  });

  test('replace all that were there', () => {
    expect(serviceRules([], [])).toBe('*nat\n:SERVICES - [0:0]\nCOMMIT\n*filter\n:SERVICES - [0:0]\nCOMMIT\n');
  });
});
