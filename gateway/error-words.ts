// What is logged of an error: never its message, which may quote a request.

/** The name of an error without its message. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}

/** Its code, as the system has it, else its name. */
export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? errorName(error);
}

/** Where it happened, the first lines. */
export function frames(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
}
