// The protection log: one JSON line for every refusal (operations 12). It is cut when it gets long: the part before is kept
// once, as `protection.log.1`.

import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { faultWithin } from '../../component/file-faults.ts';
import type { Logger } from '../../component/logger.ts';

/** The members of a line, in this order. */
export type ProtectionLine = { Event: string; Kind: string; Namespace: string; Name: string; UserAgent: string };

const BYTES_MOST = 32 * 1024 * 1024;

export class ProtectionLog {
  readonly #file: string;
  readonly #logger: Logger;
  #descriptor: number;
  #bytes: number;
  #isFailing = false;

  private constructor(file: string, descriptor: number, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
  }

  /** Opens `protection.log` in the folder, which is made if need be. Throws InputError naming the folder. */
  static open(folder: string, logger: Logger): ProtectionLog {
    try {
      mkdirSync(folder, { recursive: true });
      const file = join(folder, 'protection.log');
      return new ProtectionLog(file, openSync(file, 'a', 0o640), logger);
    } catch (error) {
      throw faultWithin(error, folder);
    }
  }

  /** Appends a line. A disk that is full or gone is told of once, and holds up nothing. */
  write(line: ProtectionLine): void {
    try {
      if (this.#bytes > BYTES_MOST) this.#cut();
      this.#bytes += writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
      if (this.#isFailing) this.#logger.info({ file: this.#file }, 'the protection log is written again');
      this.#isFailing = false;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!this.#isFailing) this.#logger.error({ file: this.#file, code }, 'the protection log cannot be written');
      this.#isFailing = true;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #cut(): void {
    renameSync(this.#file, `${this.#file}.1`);
    closeSync(this.#descriptor);
    this.#descriptor = openSync(this.#file, 'a', 0o640);
    this.#bytes = 0;
  }
}
