// What a program may do that is not root, also where tests are run by root.

/** The user that owns nothing. */
const NOBODY = 65_534;

/** Does something with the rights of an ordinary user; for the whole process, until it has settled. */
export async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
