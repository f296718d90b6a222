// Every test there is, on two cores: files run side by side in two processes.

import { defineConfig } from 'vitest/config';

/** CI asks for the runner's own report as well. */
const report = process.env.SLUICE_REPORT;

export default defineConfig({
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Property tests on a busy machine; a test that takes this long on a free one is too long.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
