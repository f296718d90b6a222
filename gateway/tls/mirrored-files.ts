// The certificates of the Secret as files, for whoever looks for them in a folder (operations.md 8.3.5). All of them change
// at once, as the files of a mounted Secret do; the gateway itself serves from memory and never reads them back.

import { lstat, mkdtemp, open, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from '../../component/logger.ts';
import type { CertificateContents } from '../../kube/certificates/secret.ts';
import { fileTexts, readText } from './files.ts';
import { exclusively } from './lock.ts';

export type MirroredFilesOptions = { folder: string; now: () => number; logger: Logger };

/** What the names in the folder lead to: a link to the folder that has the texts of now. */
const CURRENT = '..data';
const DRAFT = `${CURRENT}_tmp`;
/** Folders of texts are called after the time of their making. */
const MADE = /^\.\.\d{4}_/;

export class MirroredFiles {
  readonly #options: MirroredFilesOptions;
  #fault: string | undefined;

  constructor(options: MirroredFilesOptions) {
    this.#options = options;
  }

  /** Why the files are not what they should be; undefined if they are. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /**
   * Makes the files hold these texts, readable by the owner alone; nothing is written when they do already. Never rejects:
   * where nothing can be written, that is told once, and the next call tries again.
   */
  async write(contents: CertificateContents): Promise<void> {
    const { folder, logger } = this.#options;
    const texts = fileTexts(contents);
    try {
      if (!(await holds(folder, texts))) {
        await exclusively(folder, () => this.#replace(texts));
        logger.info({ folder }, 'certificate files written');
      }
      this.#fault = undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const fault = `${folder}: ${code ?? message}`;
      if (fault !== this.#fault) {
        logger.error(
          { folder, error: message },
          'certificate files not written; the certificate is served all the same',
        );
      }
      this.#fault = fault;
    }
  }

  async #replace(texts: ReadonlyMap<string, string | undefined>): Promise<void> {
    const { folder, now } = this.#options;
    const stamp = new Date(now()).toISOString().replace(/\D/g, '_');
    const made = await mkdtemp(join(folder, `..${stamp}`));
    try {
      for (const [name, text] of texts) if (text !== undefined) await writeNew(join(made, name), text);
      await link(folder, basename(made), CURRENT, DRAFT);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      throw error;
    }
    for (const [name, text] of texts) {
      if (text === undefined) await rm(join(folder, name), { force: true });
      else if (!(await leadsTo(folder, name))) await link(folder, join(CURRENT, name), name, `.${name}.tmp`);
    }
    const old = (await readdir(folder)).filter((name) => MADE.test(name) && name !== basename(made));
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function holds(folder: string, texts: ReadonlyMap<string, string | undefined>): Promise<boolean> {
  for (const [name, text] of texts) if ((await readText(folder, name)) !== text) return false;
  return true;
}

/** Puts a link in the place of whatever file or link has the name. */
async function link(folder: string, target: string, name: string, draft: string): Promise<void> {
  await rm(join(folder, draft), { force: true });
  await symlink(target, join(folder, draft));
  await rename(join(folder, draft), join(folder, name));
}

async function leadsTo(folder: string, name: string): Promise<boolean> {
  try {
    const path = join(folder, name);
    return (await lstat(path)).isSymbolicLink() && (await readlink(path)) === join(CURRENT, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
