// A folder for the files of one test file, gone at its end.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** Writes a file into the folder; answers its path. */
export type WriteFile = (name: string, text: string) => string;

/** Makes the folder. */
export function testFolder(): { folder: string; write: WriteFile } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write: WriteFile = (name, text) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return { folder, write };
}
