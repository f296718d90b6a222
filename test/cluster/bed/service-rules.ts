// What the rules of a node's packet filter are so that Services are reached by their cluster IPs and node ports.
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';

/** Chains of ours, and where packets come to them; given once. */
export const CHAINS = `*nat
:SERVICES - [0:0]
-A PREROUTING -j SERVICES
-A OUTPUT -j SERVICES
-A POSTROUTING -m conntrack --ctstate DNAT -j MASQUERADE
COMMIT
*filter
:SERVICES - [0:0]
-A FORWARD -j SERVICES
-A OUTPUT -j SERVICES
COMMIT
`;

type ServicePort = { name: string; protocol: string; port: number; nodePort: number };

/**
 * All rules for these Services with these EndpointSlices, as `iptables-restore --noflush` reads them. A port without a
 * ready endpoint refuses connections. Not done: session affinity, external addresses, IPv6.
 */
export function serviceRules(services: readonly JsonObject[], slices: readonly JsonObject[]): string {
  const nat: string[] = [];
  const filter: string[] = [];
  for (const service of services) {
    const { clusterIP, ports } = isObject(service.spec) ? service.spec : {};
    if (typeof clusterIP !== 'string' || clusterIP === 'None' || !clusterIP.includes('.')) continue;
    const own = slices.filter((slice) => isOf(slice, service));
    for (const port of objects(ports).map(servicePort)) {
      const endpoints = [...new Set(own.flatMap((slice) => endpointsOf(slice, port)))].sort();
      for (const match of matches(clusterIP, port)) {
        if (endpoints.length === 0) filter.push(`-A SERVICES ${match} -j REJECT`);
        else nat.push(...spread(match, endpoints));
      }
    }
  }
  return `${table('nat', nat)}${table('filter', filter)}`;
}

function table(name: string, rules: readonly string[]): string {
  return [`*${name}`, ':SERVICES - [0:0]', ...rules, 'COMMIT', ''].join('\n');
}

function matches(clusterIP: string, { protocol, port, nodePort }: ServicePort): string[] {
  const to = (number: number) => `-p ${protocol.toLowerCase()} --dport ${number}`;
  const byAddress = `-d ${clusterIP}/32 ${to(port)}`;
  return nodePort === 0 ? [byAddress] : [byAddress, `-m addrtype --dst-type LOCAL ${to(nodePort)}`];
}

// Each takes its share of what those before it left.
function spread(match: string, endpoints: readonly string[]): string[] {
  return endpoints.map((endpoint, index) => {
    const left = endpoints.length - index;
    const share = left === 1 ? '' : ` -m statistic --mode random --probability ${(1 / left).toFixed(6)}`;
    return `-A SERVICES ${match}${share} -j DNAT --to-destination ${endpoint}`;
  });
}

function servicePort(port: JsonObject): ServicePort {
  const { name = '', protocol = 'TCP', nodePort = 0 } = port;
  return { name: String(name), protocol: String(protocol), port: Number(port.port), nodePort: Number(nodePort) };
}

function isOf(slice: JsonObject, service: JsonObject): boolean {
  const [of, is] = [slice.metadata, service.metadata].map((metadata) => (isObject(metadata) ? metadata : {}));
  const labels = isObject(of?.labels) ? of.labels : {};
  return (
    slice.addressType === 'IPv4' && of?.namespace === is?.namespace && labels['kubernetes.io/service-name'] === is?.name
  );
}

function endpointsOf(slice: JsonObject, { name, protocol }: ServicePort): string[] {
  const port = objects(slice.ports).find((one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol);
  if (typeof port?.port !== 'number') return [];
  return objects(slice.endpoints)
    .filter(({ conditions }) => !isObject(conditions) || conditions.ready !== false)
    .flatMap(({ addresses }) => (Array.isArray(addresses) ? addresses : []))
    .map((address) => `${String(address)}:${port.port}`);
}

function objects(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
