// Every kind in a real API server that asks the gateway: creating, reading in every version, updating, refusing, deleting.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cloneJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { kinds } from '../../api/kinds/index.ts';
import type { Kind } from '../../api/kinds/kind.ts';
import { RECORDED_GATES_FLAG } from '../support/gates.ts';
import { Bed } from './bed/bed.ts';
import type { Client } from './bed/client.ts';
import { startGateway } from './bed/gateway.ts';
import { install } from './bed/installation.ts';
import type { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';
import { EXAMPLES, type Example, NAMESPACE, RUNNING_POD } from './examples.ts';

const missing = await missingPrograms();

const APPLY = 'application/apply-patch+yaml';

describe.skipIf(missing.length > 0)('through a real API server', () => {
  let bed: Bed;
  let gateway: Process | undefined;
  let client: Client;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    const objects = join(bed.folder, 'objects');
    mkdirSync(objects);
    const list = { apiVersion: 'v1', kind: 'List', items: RUNNING_POD };
    writeFileSync(join(objects, 'objects.json'), JSON.stringify(list));
    const started = await startGateway({
      folder: bed.folder,
      objects: [objects],
      featureGates: RECORDED_GATES_FLAG,
    });
    gateway = started.process;
    await install(client, started.endpoint);
    await bed.createNamespace(NAMESPACE);
  });
  afterAll(async () => {
    await gateway?.end();
    await bed?.close();
  });

  describe.each(kinds.map((kind) => ({ kind, name: kind.kind })))('$name', ({ kind }) => {
    // What a test that failed has left must not fail the next one.
    afterEach(async () => {
      await client.delete(pathOf(kind, kind.storage, nameOf(exampleOf(kind).object)));
    });

    test('is created by kubectl, and read in every version that is served', async () => {
      const { object } = exampleOf(kind);
      const { code, stdout, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(object));
      expect([stderr, code]).toEqual(['', 0]);
      expect(stdout).toBe(`${kind.kind.toLowerCase()}.${kind.group}/${nameOf(object)} created\n`);
      for (const version of kind.versions) {
        const read = await client.must(client.get(pathOf(kind, version, nameOf(object))));
        expect(read).toMatchObject({ apiVersion: `${kind.group}/${version}`, kind: kind.kind });
        expect(isObject(read.spec)).toBe(true);
      }
      const stored = await client.must(client.get(pathOf(kind, kind.storage, nameOf(object))));
      expect(stored.spec).toMatchObject(object.spec as object);
      await remove(kind, object);
    });

    test.each(kind.versions)('is updated through %s', async (version) => {
      const { object, change } = exampleOf(kind);
      await create(kind, object);
      const path = pathOf(kind, version, nameOf(object));
      const before = await client.must(client.get(path));
      // What was read can be written back: nothing changes.
      const written = await client.must(client.send('PUT', path, before));
      expect(generationOf(written)).toBe(generationOf(before));
      await client.must(client.send('PATCH', pathOf(kind, kind.storage, nameOf(object)), change));
      const after = await client.must(client.get(pathOf(kind, kind.storage, nameOf(object))));
      expect(after).toMatchObject(withoutNulls(change));
      await remove(kind, object);
    });

    test('is refused when it is wrong, with a message that names what is', async () => {
      const { wrong, refusal } = exampleOf(kind);
      const { code, stdout, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(wrong));
      expect(stdout).toBe('');
      expect(stderr).toContain(refusal);
      expect(code).toBe(1);
      expect((await client.get(pathOf(kind, kind.storage, nameOf(wrong)))).status).toBe(404);
    });

    test('is applied by the server, again and with changes', async () => {
      const { object, change, again } = exampleOf(kind);
      const path = `${pathOf(kind, kind.storage, nameOf(object))}?fieldManager=test&fieldValidation=Strict`;
      const apply = (body: JsonObject) => client.send('PATCH', path, body, APPLY);
      const first = await client.must(apply(object));
      if (again === undefined) {
        expect(generationOf(await client.must(apply(object)))).toBe(generationOf(first));
        expect(await client.must(apply(merge(object, change) as JsonObject))).toMatchObject(withoutNulls(change));
      } else {
        expect((await apply(object)).body.message).toContain(again);
      }
      await remove(kind, object);
    });

    test('is not created with a member that nobody knows, if the client is strict', async () => {
      const { object } = exampleOf(kind);
      const odd = merge(object, { spec: { noSuchMember: 1 } }) as JsonObject;
      const create = (validation: string) =>
        client.send('POST', `${pathOf(kind, kind.storage)}?fieldValidation=${validation}&dryRun=All`, odd);
      const strict = await create('Strict');
      expect(strict.body.message).toContain('unknown field "spec.noSuchMember"');
      expect(strict.status).toBe(400);
      const lenient = await client.must(create('Ignore'));
      expect(lenient.spec).not.toHaveProperty('noSuchMember');
    });
  });

  test('the examples of all kinds are applied by kubectl, which knows every field', async () => {
    const folder = new URL('../../examples/kinds/', import.meta.url).pathname;
    // One asks for the restart of a container, and the pod that it names does not run here.
    const files = readdirSync(folder).filter((file) => file !== 'containerrecreaterequest.yaml');
    const named = files.flatMap((file) => ['-f', join(folder, file)]);
    const given = ['apply', ...named, '--dry-run=server', '--validate=strict', '-o', 'name'];
    const { code, stdout, stderr } = await bed.kubectl(given);
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout.match(/kruise\.io\//g)).toHaveLength(kinds.length - 1);
  });

  test('nothing went wrong between the API server and the gateway', () => {
    const complaints = bed.apiServer.process.log
      .split('\n')
      .filter((line) => /failed calling webhook|conversion webhook/i.test(line));
    expect(complaints).toEqual([]);
  });

  async function create(kind: Kind, object: JsonObject): Promise<void> {
    await client.must(client.send('POST', pathOf(kind, kind.storage), object));
  }

  async function remove(kind: Kind, object: JsonObject): Promise<void> {
    const path = pathOf(kind, kind.storage, nameOf(object));
    await client.must(client.delete(path));
    expect((await client.get(path)).status).toBe(404);
  }
});

function exampleOf({ kind }: Kind): Example {
  const example = EXAMPLES[kind];
  if (example === undefined) throw new Error(`test/cluster/examples.ts has no example of a ${kind}`);
  return example;
}

function pathOf({ group, plural, scope }: Kind, version: string, name?: string): string {
  const namespace = scope === 'Cluster' ? '' : `namespaces/${NAMESPACE}/`;
  return `/apis/${group}/${version}/${namespace}${plural}${name === undefined ? '' : `/${name}`}`;
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}

function generationOf(object: JsonObject): Json | undefined {
  return (object.metadata as JsonObject).generation;
}

/** RFC 7386. */
function merge(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? cloneJson(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

function withoutNulls(patch: JsonObject): JsonObject {
  return merge({}, patch) as JsonObject;
}
