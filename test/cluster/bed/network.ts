// The network of a bed with nodes: a place for the control plane and one a node, on one bridge. This machine is on the
// bridge too, so that tests reach the API server and the nodes by their addresses.
import { spawn } from 'node:child_process';
import { SYSTEM_PATH, systemProgram } from './packages.ts';
import { Place } from './place.ts';

/** The range is for tests of networks: nobody routes it. Each bed has a /24 of it. */
const subnet = (index: number) => `198.18.${index}`;
const SUBNETS = 256;
const CONTROL_PLANE = 100;
const MACHINE = 254;
const BRIDGE = 'nodes';
const MACHINE_LINK = 'machine';

/** Pods of node N are in 10.244.N.0/24: no bed sees those of another. */
const podSubnet = (node: number) => `10.244.${node}.0/24`;

export type NodePlace = { name: string; address: string; place: Place; podSubnet: string };

export class Network {
  readonly controlPlane: Place;
  readonly nodes: readonly NodePlace[];
  readonly #index: number;

  private constructor(controlPlane: Place, nodes: readonly NodePlace[], index: number) {
    this.controlPlane = controlPlane;
    this.nodes = nodes;
    this.#index = index;
  }

  /** Makes it; nothing runs in it yet. Its groups must be there. */
  static async start(folder: string, names: readonly string[]): Promise<Network> {
    const [controlPlane, ...places] = await Promise.all(
      ['control-plane', ...names].map((name) => Place.start(folder, name)),
    );
    if (controlPlane === undefined) throw new Error('no place for the control plane');
    const index = await linkMachine(controlPlane);
    const nodes = places.map((place, i) => {
      return { name: place.name, place, address: `${subnet(index)}.${i + 1}`, podSubnet: podSubnet(i + 1) };
    });
    const network = new Network(controlPlane, nodes, index);
    await network.#linkControlPlane();
    await Promise.all(nodes.map((node) => network.#linkNode(node)));
    return network;
  }

  /** Of the API server and the registry. */
  get address(): string {
    return `${subnet(this.#index)}.${CONTROL_PLANE}`;
  }

  /** Of this machine, as nodes and the control plane see it. */
  get machineAddress(): string {
    return `${subnet(this.#index)}.${MACHINE}`;
  }

  async #linkControlPlane(): Promise<void> {
    await ip(
      [
        `link add ${BRIDGE} type bridge`,
        `link set ${MACHINE_LINK} master ${BRIDGE} up`,
        `address add ${this.address}/24 dev ${BRIDGE}`,
        `link set ${BRIDGE} up`,
        ...this.nodes.flatMap(({ name, place }) => [
          `link add ${name} type veth peer name eth0 netns ${place.process.pid}`,
          `link set ${name} master ${BRIDGE} up`,
        ]),
        ...this.#routes(),
      ],
      this.controlPlane,
    );
  }

  async #linkNode({ place, address }: NodePlace): Promise<void> {
    await ip([`address add ${address}/24 dev eth0`, 'link set eth0 up', ...this.#routes(address)], place);
  }

  // To the pods of all nodes but this one; services need a route of some kind before their rules are asked.
  #routes(own?: string): string[] {
    const others = this.nodes.filter(({ address }) => address !== own);
    return [
      'link set lo up',
      `route add default via ${this.machineAddress}`,
      ...others.map(({ address, podSubnet }) => `route add ${podSubnet} via ${address}`),
    ];
  }
}

// The first subnet whose link nobody has: making a link is one step, so that no two beds get the same. It goes with the
// place at its other end.
async function linkMachine(place: Place): Promise<number> {
  for (let index = 0; index < SUBNETS; index++) {
    const name = `sluice-bed-${index}`;
    const fault = await ip([`link add ${name} type veth peer name ${MACHINE_LINK} netns ${place.process.pid}`]).then(
      () => undefined,
      (error: Error) => error,
    );
    if (fault?.message.includes('File exists')) continue;
    if (fault !== undefined) throw fault;
    await ip([`address add ${subnet(index)}.${MACHINE}/24 dev ${name}`, `link set ${name} up`]);
    return index;
  }
  throw new Error(`no subnet left: ${SUBNETS} beds have them all`);
}

/** Runs lines of `ip -batch` on this machine, or in a place. */
function ip(lines: readonly string[], place?: Place): Promise<void> {
  const command = [systemProgram('ip'), '-batch', '-'];
  return feed(place === undefined ? command : within(place, command), `${lines.join('\n')}\n`);
}

/** A command that runs in the network of a place, but sees this machine's files. */
export function within(place: Pick<Place, 'network'>, command: readonly string[]): string[] {
  return [systemProgram('nsenter'), `--net=${place.network}`, '--', ...command];
}

/** Runs a command with this input. Rejects with what it said if it fails. */
export async function feed([path = '', ...given]: readonly string[], input: string): Promise<void> {
  const child = spawn(path, given, { env: { PATH: SYSTEM_PATH }, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  // It may end before it has read everything; its exit code tells.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  if (code !== 0) throw new Error(`${given.join(' ')} ended with ${code}: ${said.trim()}\n${input}`);
}
