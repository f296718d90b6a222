import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import type { Environment } from '../../component/flags.ts';
import { type Connection, readConnection } from '../../kube/connection.ts';
import { PODS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';
import { rejection } from '../support/rejection.ts';

const SIGNAL = new AbortController().signal;
let folder: string;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-connection-'));
  now = 1_000_000;
});

afterEach(() => rmSync(folder, { recursive: true }));

const CLUSTER = { server: 'https://10.0.0.1:6443/k8s', 'certificate-authority-data': 'Q0E=' };

function config(user: JsonObject, cluster: JsonObject = CLUSTER): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    'current-context': 'x',
  };
}

function write(name: string, content: string | JsonObject): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o755 });
  return file;
}

function connect(
  options: { kubeconfig?: string; context?: string; environment?: Environment } = {},
): Promise<Connection> {
  const environment = { HOME: folder, ...options.environment };
  return readConnection({ ...options, environment, monotonic: () => now, podFolder: join(folder, 'pod') });
}

/** What is sent and shown to the server. */
async function credentials(connection: Connection) {
  const { headers, tls } = await connection.credentials(SIGNAL);
  return { headers, tls: Object.fromEntries(Object.entries(tls).map(([name, value]) => [name, String(value)])) };
}

describe('kubeconfig', () => {
  test('server, namespace, CA and certificate of the current context', async () => {
    const user = { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' };
    const connection = await connect({ kubeconfig: write('config', config(user)) });
    expect([connection.server.href, connection.namespace]).toEqual(['https://10.0.0.1:6443/k8s', 'shop']);
    expect(await credentials(connection)).toEqual({ headers: {}, tls: { ca: 'CA', cert: 'CERT', key: 'KEY' } });
  });

  test('files are found beside the one that names them', async () => {
    write('ca.crt', 'CA2');
    write('token', 'secret\n');
    const cluster = { server: 'https://h', 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' };
    const connection = await connect({ kubeconfig: write('config', config({ tokenFile: 'token' }, cluster)) });
    expect(await credentials(connection)).toEqual({
      headers: { authorization: 'Bearer secret' },
      tls: { ca: 'CA2', servername: 'kubernetes' },
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a token', { token: 't' }, { authorization: 'Bearer t' }],
    ['a name and a password', { username: 'a', password: 'b' }, { authorization: 'Basic YTpi' }],
    ['somebody else', { token: 't', as: 'jane' }, { authorization: 'Bearer t', 'impersonate-user': 'jane' }],
  ])('the user is known by %s', async (_, user, headers) => {
    const connection = await connect({ kubeconfig: write('config', config(user)) });
    expect((await credentials(connection)).headers).toEqual(headers);
  });

  test('another context may be named, and YAML be read', async () => {
    const file = write(
      'config',
      `kind: Config
clusters: [{name: a, cluster: {server: "https://a"}}, {name: b, cluster: {server: "https://b", insecure-skip-tls-verify: true}}]
contexts: [{name: a, context: {cluster: a}}, {name: b, context: {cluster: b}}]
current-context: a
`,
    );
    const connection = await connect({ kubeconfig: file, context: 'b' });
    expect([connection.server.href, connection.namespace]).toEqual(['https://b/', undefined]);
    expect((await credentials(connection)).tls).toEqual({ rejectUnauthorized: 'false' });
  });

  test('of several files the first counts, and those that do not exist are left out', async () => {
    const first = write('first', { kind: 'Config', users: [{ name: 'u', user: { token: 'first' } }] });
    const second = write('second', config({ token: 'second' }));
    const connection = await connect({ environment: { KUBECONFIG: `${folder}/none:${first}:${second}` } });
    expect((await credentials(connection)).headers).toEqual({ authorization: 'Bearer first' });
  });

  test('what a plug-in prints is used until it is refused', async () => {
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
    const plugin = write(
      'plugin',
      `#!/bin/sh
n=$(cat "${folder}/count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "${folder}/count"
echo '${JSON.stringify({ ...credential, status: { token: 'TOKEN' } })}' | sed "s/TOKEN/token-$n/"
`,
    );
    const user = { exec: { apiVersion: credential.apiVersion, command: plugin, interactiveMode: 'Never' } };
    const connection = await connect({ kubeconfig: write('config', config(user)) });
    const first = await connection.credentials(SIGNAL);
    now += 120_000;
    expect((await connection.credentials(SIGNAL)).headers).toEqual({ Authorization: 'Bearer token-1' });
    expect(first.headers).toEqual({ Authorization: 'Bearer token-1' });
    connection.renew(await connection.credentials(SIGNAL));
    expect((await connection.credentials(SIGNAL)).headers).toEqual({ Authorization: 'Bearer token-2' });
  });

  test('a plug-in that fails is a connection that fails, and nobody waits for it longer than wanted', async () => {
    const failing = write('failing', '#!/bin/sh\necho no ticket >&2; exit 1\n');
    const user = { exec: { command: failing } };
    const connection = await connect({ kubeconfig: write('config', config(user)) });
    const error = await rejection(connection.credentials(SIGNAL));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(String(error)).toContain('no ticket');
    const aborted = AbortSignal.abort(new Error('enough'));
    expect(await rejection(connection.credentials(aborted))).toMatchObject({ message: 'enough' });
  });

  test.each<[string, string | JsonObject, string]>([
    ['no file', '', 'FILE/none: no such file or folder'],
    ['an empty file', '# none\n', 'FILE/config: expected a kubeconfig, and nothing is in it'],
    ['text', 'hello', 'FILE/config:1:1: expected an object, got text'],
    ['broken YAML', 'a: [', 'FILE/config:1:5: '],
    ['nothing', {}, 'FILE/config:1:1: current-context: required, or name a context with --context'],
    ['no such context', { 'current-context': 'x' }, 'contexts: there is no context "x"'],
    ['lists that are none', { 'current-context': 'x', contexts: {} }, 'contexts: expected a list, got an object'],
    [
      'no such cluster',
      { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c' } }] },
      'contexts[0].context.cluster: there is no cluster "c"',
    ],
    ['no such user', { ...config({}), users: [] }, 'contexts[0].context.user: there is no user "u"'],
    ['no server', config({}, {}), 'clusters[0].cluster.server: required'],
    ['a server that is no URL', config({}, { server: '10.0.0.1' }), 'clusters[0].cluster.server: expected a URL'],
    ['a server by another protocol', config({}, { server: 'ftp://a' }), 'clusters[0].cluster.server: expected a URL'],
    [
      'a proxy',
      config({}, { ...CLUSTER, 'proxy-url': 'socks5://a' }),
      'clusters[0].cluster.proxy-url: proxies are not',
    ],
    ['half a pair', config({ 'client-key': 'a' }), 'users[0].user.client-certificate: required with client-key'],
    ['numbers for text', config({ token: 5 }), 'users[0].user.token: expected text, got a number'],
    [
      'data that is no base64',
      config({ 'client-key-data': 'ä' }),
      'users[0].user.client-key-data: expected text in base64',
    ],
    ['groups to act as', config({ as: 'a', 'as-groups': ['g'] }), 'users[0].user.as-groups: not supported'],
    ['a token of two lines', config({ token: 'a\nb' }), 'users[0].user.token: expected one line of printable ASCII'],
    ['a user to act as in other letters', config({ as: '日本' }), 'users[0].user.as: expected one line of printable'],
    ['a plug-in without a command', config({ exec: {} }), 'users[0].user.exec.command: required'],
  ])('%s is refused with its place', async (_, content, expected) => {
    const kubeconfig = content === '' ? join(folder, 'none') : write('config', content);
    const error = await rejection(connect({ kubeconfig }));
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).describe().replaceAll(folder, 'FILE')).toContain(expected);
  });

  test('without any source the sources are named', async () => {
    expect(String(await rejection(connect()))).toContain(
      'no --kubeconfig, no ServiceAccount, and no file at $KUBECONFIG',
    );
  });
});

describe('in a pod', () => {
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443', KUBECONFIG: 'FILE' };

  function mount(token: string): void {
    mkdirSync(join(folder, 'pod'), { recursive: true });
    for (const [name, text] of Object.entries({ token, namespace: 'kruise-system', 'ca.crt': 'CA' })) {
      write(`pod/${name}`, text);
    }
  }

  test.each([
    ['10.0.0.1', 'tcp://10.0.0.1:443'],
    ['a b', '443'],
  ])('an API server at host %j and port %j is refused by the names of the variables', async (host, port) => {
    mount('t1');
    const odd = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    const error = await rejection(connect({ environment: odd }));
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toContain('$KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT');
  });

  test('its ServiceAccount is used, unless a kubeconfig is named', async () => {
    mount('t1');
    const connection = await connect({ environment });
    expect([connection.server.href, connection.namespace]).toEqual(['https://[fd00::1]/', 'kruise-system']);
    expect(await credentials(connection)).toEqual({ headers: { authorization: 'Bearer t1' }, tls: { ca: 'CA' } });
    const named = await connect({ environment, kubeconfig: write('config', config({})) });
    expect(named.server.host).toBe('10.0.0.1:6443');
  });

  test('a token that was replaced is sent within a minute', async () => {
    mount('t1');
    const connection = await connect({ environment });
    await credentials(connection);
    mount('t2');
    now += 59_000;
    expect((await credentials(connection)).headers).toEqual({ authorization: 'Bearer t1' });
    now += 1_001;
    expect((await credentials(connection)).headers).toEqual({ authorization: 'Bearer t2' });
  });

  test('while a file is missing what was read before is used', async () => {
    mount('t1');
    const connection = await connect({ environment });
    await credentials(connection);
    rmSync(join(folder, 'pod/token'));
    now += 61_000;
    expect((await credentials(connection)).headers).toEqual({ authorization: 'Bearer t1' });
    mount('t2');
    now += 61_000;
    expect((await credentials(connection)).headers).toEqual({ authorization: 'Bearer t2' });
  });

  test('a token that the server refuses is read anew at once, and the request sent again', async () => {
    mount('old');
    const server = await FakeApiServer.start();
    server.intercept(({ headers }) => (headers.authorization === 'Bearer new' ? undefined : { status: 401 }));
    const pod = await connect({ environment });
    const client = createClient({
      server: server.connection.server,
      namespace: pod.namespace,
      credentials: (signal) => pod.credentials(signal),
      renew: (refused) => pod.renew(refused),
    });
    expect(await rejection(client.list(PODS))).toMatchObject({ code: 401, reason: 'Unauthorized' });
    const before = server.requests.length;
    expect(await rejection(client.list(PODS))).toMatchObject({ code: 401 });
    expect(server.requests.length - before).toBe(1);
    mount('new');
    now += 5_000;
    await Promise.all([client.list(PODS), client.list(PODS), client.list(PODS)]);
    await client.close();
    await server.close();
  });
});
