// How Node.js runs the programs wherever they run: in the image, in benches and in clusters for tests. package.json says the
// same for `npm start` and `npm run sluice`.

/**
 * A small young generation: what a review leaves behind is gone before it is copied; and memory that is free for a second
 * goes back to the system.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=2', '--memory-pool-timeout=1'];

/** One heap of the C library for all threads: less memory that is freed and not given back. */
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const;
