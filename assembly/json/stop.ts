// What `abort` becomes: the module imports nothing, so a bug ends the call with a trap and the host makes a new instance.

/** Called by the compiler's own checks (array bounds, casts of null). */
export function abort(_message: string | null, _file: string | null, _line: u32, _column: u32): void {
  unreachable();
}
