// The files that suites name, by paths relative to the suite; each is read once.

import { dirname, isAbsolute, join } from 'node:path';
import { InputError } from '../../component/errors.ts';
import { itemsOf, type Manifest, objectsOf, readDocuments } from '../../component/manifests.ts';
import type { Fields } from './fields.ts';

export class SuiteFiles {
  private readonly read = new Map<string, Promise<readonly Manifest[]>>();

  /** Where a path in a suite leads, as the user would write it. */
  pathOf(suite: Manifest, path: string): string {
    return isAbsolute(path) || suite.file === '-' ? path : join(dirname(suite.file), path);
  }

  /** The objects that a member names by a path. What is wrong with them is a fault of the member. */
  async objects(fields: Fields, name: string, path: string): Promise<readonly Manifest[]> {
    const documents = (await this.documents(fields, name, path)) ?? [];
    return documents.flatMap((document) => this.attempt(fields, name, () => objectsOf(document)));
  }

  /** The one document that a member names by a path; undefined, and a fault, if there is none or several. */
  async document(fields: Fields, name: string, path: string): Promise<Manifest | undefined> {
    const documents = await this.documents(fields, name, path);
    if (documents === undefined) return undefined;
    const found = documents.flatMap((document) => this.attempt(fields, name, () => itemsOf(document)));
    if (found.length !== 1) fields.fault(name, `${path}: expected one object, got ${found.length}`);
    return found[0];
  }

  private async documents(fields: Fields, name: string, path: string): Promise<readonly Manifest[] | undefined> {
    const file = this.pathOf(fields.manifest, path);
    let reading = this.read.get(file);
    if (reading === undefined) {
      reading = readDocuments([file]);
      this.read.set(file, reading);
    }
    try {
      return await reading;
    } catch (error) {
      this.blame(fields, name, error);
      return undefined;
    }
  }

  private attempt(fields: Fields, name: string, read: () => Manifest[]): Manifest[] {
    try {
      return read();
    } catch (error) {
      this.blame(fields, name, error);
      return [];
    }
  }

  /** What is wrong inside a file is told with its place there, a file that is not there at the member that names it. */
  private blame(fields: Fields, name: string, error: unknown): void {
    if (!(error instanceof InputError)) throw error;
    if (error.line === undefined) fields.fault(name, error.describe());
    else fields.add(error);
  }
}
