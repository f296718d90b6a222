// The container runtime of a node: containerd with everything of its own in the node's folder.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodePlace } from './network.ts';
import { cniFolder, systemProgram } from './packages.ts';
import { type Process, untilReady } from './process.ts';

export type ContainerdOptions = {
  /** The node's own. */
  folder: string;
  node: NodePlace;
  /** URL of the registry that every image comes from, whatever registry its name says. */
  registry: string;
};

const START_LIMIT_MS = 60_000;
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10';

/** The socket that a node's runtime is asked on. */
export function runtimeSocket(folder: string): string {
  return join(folder, 'containerd.sock');
}

/** Starts it, and resolves when it can be asked. */
export async function startContainerd({ folder, node, registry }: ContainerdOptions): Promise<Process> {
  const networks = join(folder, 'cni');
  const registries = join(folder, 'registries', '_default');
  for (const path of [networks, registries]) mkdirSync(path, { recursive: true });
  writeFileSync(join(networks, '10-pods.conflist'), JSON.stringify(podNetwork(folder, node.podSubnet)));
  writeFileSync(join(registries, 'hosts.toml'), `[host."${registry}"]\n  capabilities = ["pull", "resolve"]\n`);
  const config = join(folder, 'containerd.toml');
  writeFileSync(config, configuration(folder));
  const process = node.place.run({
    name: `containerd-${node.name}`,
    path: systemProgram('containerd'),
    arguments: ['--config', config],
  });
  await untilReady(process, START_LIMIT_MS, async () => existsSync(runtimeSocket(folder)));
  return process;
}

function podNetwork(folder: string, subnet: string): object {
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'addresses'),
    ranges: [[{ subnet }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = { type: 'bridge', bridge: 'pods', isGateway: true, hairpinMode: true, ipam };
  const ports = { type: 'portmap', capabilities: { portMappings: true } };
  return { cniVersion: '0.4.0', name: 'pods', plugins: [bridge, ports] };
}

// The plugins that are left out look for file systems that are not there, or write outside of the folder.
function configuration(folder: string): string {
  const plugin = (name: string) => `[plugins."io.containerd.grpc.v1.cri"${name}]`;
  return `version = 2
root = "${join(folder, 'containerd')}"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]
[grpc]
address = "${runtimeSocket(folder)}"
${plugin('')}
sandbox_image = "${PAUSE_IMAGE}"
disable_apparmor = true
restrict_oom_score_adj = true
${plugin('.registry')}
config_path = "${join(folder, 'registries')}"
${plugin('.cni')}
bin_dir = "${cniFolder()}"
conf_dir = "${join(folder, 'cni')}"
`;
}
