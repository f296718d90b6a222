// Small stand-ins for images that workloads name: one layer with a static busybox, a configuration a tag. Every tag is an
// image of its own, so that changing a tag changes what runs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeLayout } from '../../../scripts/image/layout.ts';
import { type TarEntry, tar } from '../../../scripts/image/tar.ts';
import { ARCHITECTURE, type Image, imageOf } from './image.ts';
import { systemProgram } from './packages.ts';

/** What containers of an image do unless told otherwise: as arguments they take a program, or what they ignore. */
const COMMANDS = {
  /** Nothing, until they are ended; they end at once. */
  idle: { Entrypoint: ['/entrypoint', '/usr/local/bin/idle'] },
  /** A shell; it has no input, so that it ends. */
  shell: { Cmd: ['/bin/sh'] },
  /** Answer HTTP with `ok` on port 80, or $PORT, or $ADMIN_PORT. */
  web: { Entrypoint: ['/entrypoint', '/usr/local/bin/web'] },
  /** The many programs for tests of Kubernetes; those that serve HTTP do so here too. */
  agnhost: { Entrypoint: ['/agnhost'], Cmd: ['pause'] },
  /** End at once, without a fault. */
  exit: { Entrypoint: ['/bin/true'] },
} as const;

/** Tags by repository, without the registry: a node asks one registry for everything. */
const IMAGES: readonly { command: keyof typeof COMMANDS; repository: string; tags: readonly string[] }[] = [
  { command: 'idle', repository: 'pause', tags: ['1', '3.9', '3.10', '3.10.1'] },
  {
    ...{ command: 'shell', repository: 'library/busybox' },
    tags: ['latest', '1.29', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37'],
  },
  {
    ...{ command: 'web', repository: 'library/nginx' },
    tags: [
      ...['latest', 'alpine', '1.9.1', '1.9.2', '1.14.2', '1.15.1', '1.19.6', '1.20.1', '1.21', '1.21.1', '1.21.6'],
      ...['1.22.1', '1.23.1', '1.25', '1.26', '1.27'],
    ],
  },
  { command: 'idle', repository: 'library/centos', tags: ['7'] },
  { command: 'idle', repository: 'library/redis', tags: ['latest', '7'] },
  { command: 'web', repository: 'openkruise/hotupgrade-sample', tags: ['sidecarv1', 'sidecarv2'] },
  { command: 'idle', repository: 'openkruise/hotupgrade-sample', tags: ['empty'] },
  { command: 'idle', repository: 'openkruise/minecraft-demo', tags: ['probe-v0'] },
  { command: 'exit', repository: 'minchou/exit', tags: ['v1.0'] },
  { command: 'shell', repository: 'e2e-test-images/busybox', tags: ['1.36.1-1'] },
  { command: 'web', repository: 'e2e-test-images/httpd', tags: ['2.4.38-4', '2.4.39-4'] },
  { command: 'web', repository: 'e2e-test-images/nginx', tags: ['1.14-4', '1.15-4'] },
  { command: 'idle', repository: 'e2e-test-images/redis', tags: ['5.0.5-3'] },
  { command: 'agnhost', repository: 'e2e-test-images/agnhost', tags: ['2.53'] },
  // Those of examples/.
  { command: 'exit', repository: 'mesh/network-setup', tags: ['1.14.2'] },
  { command: 'web', repository: 'mesh/proxy', tags: ['1.14.2'] },
  { command: 'idle', repository: 'observability/log-shipper', tags: ['2.8.1'] },
  { command: 'idle', repository: 'vendor/metrics-agent', tags: ['7.2'] },
  { command: 'idle', repository: 'shop/checkout', tags: ['5.1'] },
  { command: 'idle', repository: 'shop/orders', tags: ['2.0'] },
  { command: 'exit', repository: 'shop/report', tags: ['1.7'] },
];

const ENTRYPOINT = `server=$1
shift
command -v "$1" > /dev/null && exec "$@"
exec $server
`;
const IDLE = `trap 'exit 0' TERM INT
while :; do sleep 3600 & wait $!; done
`;
// A second server of a pod finds the port taken: it idles.
const WEB = `trap 'exit 0' TERM INT
mkdir -p /www && cd /www
for page in index.html healthz ready; do echo ok > $page; done
httpd -f -p "\${PORT:-\${ADMIN_PORT:-80}}" -h /www & wait $!
exec /usr/local/bin/idle
`;
const AGNHOST = `PORT=80
for given in "$@"; do case $given in --http-port=*) PORT=\${given#*=};; esac; done
export PORT
case $1 in
netexec | serve-hostname | test-webserver) exec /usr/local/bin/web;;
*) exec /usr/local/bin/idle;;
esac
`;

/** All of them, by name with tag. Reads busybox of this machine. */
export function standIns(): Map<string, Image> {
  const layer = Buffer.concat([...tar(rootFiles())]);
  const images = new Map<string, Image>();
  for (const { command, repository, tags } of IMAGES) {
    for (const tag of tags) {
      const name = `${repository}:${tag}`;
      const settings = {
        Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        Labels: { 'sluice.test/image': name },
        ...COMMANDS[command],
      };
      images.set(name, imageOf([layer], settings));
    }
  }
  return images;
}

/** Writes an OCI layout of a busybox that does this unless told otherwise. */
export async function writeBusyboxLayout(folder: string, entrypoint: readonly string[]): Promise<void> {
  await writeLayout(folder, {
    ...{ architecture: ARCHITECTURE, tag: 'latest', layers: [busybox()], labels: {} },
    ...{ entrypoint, user: '0:0', environment: ['PATH=/bin'] },
  });
}

/** A busybox of this machine with all its commands, in `bin`. */
function busybox(): TarEntry[] {
  const path = systemProgram('busybox');
  const applets = execFileSync(path, ['--list'], { encoding: 'utf8' }).split('\n');
  const links = applets.filter((name) => name !== '' && name !== 'busybox');
  return [
    { path: 'bin', type: 'folder', mode: 0o755 },
    { path: 'bin/busybox', type: 'file', content: readFileSync(path), mode: 0o755 },
    ...links.map((name) => link(`bin/${name}`, 'busybox')),
  ];
}

function rootFiles(): TarEntry[] {
  const folders = ['dev', 'etc', 'proc', 'root', 'sys', 'usr', 'usr/bin', 'usr/local', 'usr/local/bin'];
  const folder = (path: string, mode = 0o755): TarEntry => ({ path, type: 'folder', mode });
  const file = (path: string, text: string, mode = 0o644): TarEntry => {
    return { path, type: 'file', content: Buffer.from(text), mode };
  };
  const script = (path: string, text: string) => file(path, `#!/bin/sh\n${text}`, 0o755);
  return [
    ...[...folders, 'usr/sbin', 'var', 'var/log', 'var/run', 'www', 'data'].map((path) => folder(path)),
    folder('tmp', 0o1777),
    ...busybox(),
    link('usr/bin/env', '/bin/busybox'),
    file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n'),
    file('etc/group', 'root:x:0:\nnobody:x:65534:\n'),
    script('bin/bash', 'exec /bin/sh "$@"\n'),
    script('entrypoint', ENTRYPOINT),
    script('usr/local/bin/idle', IDLE),
    script('usr/local/bin/web', WEB),
    script('usr/sbin/nginx', 'exec /usr/local/bin/web\n'),
    script('usr/local/bin/redis-server', 'exec /usr/local/bin/idle\n'),
    script('agnhost', AGNHOST),
    script('probe.sh', 'exit 0\n'),
    script('migrate.sh', 'exit 0\n'),
  ];
}

function link(path: string, target: string): TarEntry {
  return { path, type: 'link', target, mode: 0o777 };
}
