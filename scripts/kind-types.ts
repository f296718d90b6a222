// Declarations of the kinds for users of the npm package: of each version the object as it is written, with the
// documentation of its members. Needs no package to be read.

import type { TSchema } from 'typebox';
import { isRequiredField } from '../api/core/openapi.ts';
import { type AnyStruct, type Field, type ListSchema, type MapSchema, wiredOf } from '../api/core/schema.ts';
import type { KindDescription } from '../api/kinds/kind.ts';

/** A module of declarations: `SidecarSet` is the version that is stored, `SidecarSetV1Alpha1` is one version. */
export function kindDeclarations(kinds: readonly KindDescription[]): string {
  const structs = new Structs(kinds.map(({ kind }) => kind));
  const objects = kinds.flatMap(({ group, kind, storage, versions, doc }) => {
    // The version that is stored has the plain names.
    const ordered = versions.toSorted((a, b) => Number(b.name === storage) - Number(a.name === storage));
    const declared = ordered.map(({ name, schema }) => {
      const identity = [`apiVersion: '${group}/${name}';`, `kind: '${kind}';`];
      const members = Object.entries(schema.fields).filter(([member]) => member !== 'apiVersion' && member !== 'kind');
      const body = [...identity, ...members.map(([member, field]) => structs.member(member, field))];
      return `/** ${doc} */\nexport type ${kind}${titled(name)} = ${block(body)};`;
    });
    return [...declared, `/** ${doc} The version that is stored. */\nexport type ${kind} = ${kind}${titled(storage)};`];
  });
  const any = `/** Any JSON value. */\nexport type Json = null | boolean | number | string | Json[] | { [key: string]: Json };`;
  const union = `/** An object of any kind, in any version. */\nexport type KindObject =${kinds
    .flatMap(({ kind, versions }) => versions.map(({ name }) => `\n  | ${kind}${titled(name)}`))
    .join('')};`;
  return `${[any, ...structs.declarations, ...objects, union].join('\n\n')}\n`;
}

/** The structs that were met; those of one body have one name. */
class Structs {
  readonly declarations: string[] = [];
  private readonly names = new Map<string, string>();
  private readonly taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.taken = new Set(['Json', 'KindObject', ...taken]);
  }

  member(name: string, field: Field): string {
    const doc = field.doc === '' ? '' : `/** ${field.doc.replaceAll('*/', '*\\/')} */\n`;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = this.typeOf(field.schema);
    // What Go writes as null when there is none, nobody has to write.
    if (field.presence === 'nullable') return `${doc}${key}?: ${type.replace(/ \| null$/, '')} | null;`;
    return `${doc}${key}${isRequiredField(field) ? '' : '?'}: ${type};`;
  }

  private typeOf(schema: TSchema): string {
    const { wire, openApi } = wiredOf(schema);
    switch (wire) {
      case 'string':
        return Array.isArray(openApi?.enum) ? openApi.enum.map((value) => `'${String(value)}'`).join(' | ') : 'string';
      case 'boolean':
        return 'boolean';
      case 'int32':
      case 'int64':
        return 'number';
      case 'intOrString':
      case 'quantity':
        return 'number | string';
      case 'time':
        return 'string | null';
      case 'json':
        return 'Json';
      case 'list': {
        const items = this.typeOf((schema as ListSchema).items);
        return `${/^\w+$/.test(items) ? items : `(${items})`}[]`;
      }
      case 'map':
        return `{ [key: string]: ${this.typeOf((schema as unknown as MapSchema).values)} }`;
      case 'struct':
        return this.struct(schema as AnyStruct);
    }
  }

  private struct(schema: AnyStruct): string {
    const members = Object.entries(schema.fields).map(([name, field]) => this.member(name, field));
    const body = block(members);
    const known = this.names.get(body);
    if (known !== undefined) return known;
    const [path = '', word = path] = wiredOf(schema).goType.split('.');
    const name = this.free(word, titled(/v\d\w*$/.exec(path)?.[0] ?? ''));
    this.names.set(body, name);
    this.declarations.push(`export type ${name} = ${body};`);
    return name;
  }

  private free(word: string, version: string): string {
    let name = word;
    for (let number = 1; this.taken.has(name); number++) name = `${word}${version}${number === 1 ? '' : number}`;
    this.taken.add(name);
    return name;
  }
}

function block(members: readonly string[]): string {
  if (members.length === 0) return '{ [key: string]: Json }';
  return `{\n${members.map((member) => member.replace(/^/gm, '  ')).join('\n')}\n}`;
}

/** `v1alpha1` as the end of a name: `V1Alpha1`. */
function titled(version: string): string {
  return version.replace(/[a-z]+/g, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
}
