// Every test there is, on two cores: files run side by side in two processes.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Property tests on a busy machine; a test that takes this long on a free one is too long.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
