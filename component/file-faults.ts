// What is said of files and folders that cannot be used, in place of the names of system errors.

import { InputError } from './errors.ts';
import { printable } from './printable.ts';

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder; expected a file',
  ENOTDIR: 'a part of the path is a file; expected a folder',
  EEXIST: 'is a file; expected a folder',
  ELOOP: 'too many links',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'there is no room left',
  EROFS: 'the file system cannot be written to',
};

/** A pipe is read once, and what is followed is read again. */
export const IS_NO_FILE = 'is neither a file nor a folder, and cannot be followed';

/** The error of a user who named a file or folder; errors that are not the system's are given back as they are. */
export function fileFault(error: unknown, file: string, otherwise = 'cannot be read'): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof InputError || code === undefined || syscall === undefined) return error;
  return new InputError(FAULTS[code] ?? `${otherwise} (${code})`, { file: printable(file) }, { cause: error });
}

/** Likewise, of the file in a folder that the system complains of; other errors become InputErrors about the folder. */
export function faultWithin(error: unknown, folder: string): unknown {
  if (error instanceof InputError) return error;
  const { path = folder } = error as NodeJS.ErrnoException;
  const fault = fileFault(error, path);
  if (fault !== error) return fault;
  return new InputError(error instanceof Error ? error.message : String(error), { file: folder }, { cause: error });
}

/** Resolves as `act` does; what the system has against it is an InputError that names the file. */
export async function describing<Result>(
  file: string,
  act: () => Promise<Result>,
  otherwise?: string,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw fileFault(error, file, otherwise);
  }
}
