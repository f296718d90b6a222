// Every test there is, on two cores: files run side by side in two processes. Tests of plain sources do not wait for
// the modules to be built.

import { defineConfig } from 'vitest/config';

/** Tests that load nothing from dist/. */
const PLAIN = ['test/api/core/**', 'test/component/**', 'test/crds/**', 'test/support/compare/**'];
/** Tests in a real control plane. */
const CLUSTER = 'test/cluster/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['test/support/seed.ts'],
    // Property tests on a busy machine; a test that takes this long on a free one is too long.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'plain', include: PLAIN.map((folder) => `${folder}/*.test.ts`) } },
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/**/*.test.ts'],
          exclude: [...PLAIN, CLUSTER],
          globalSetup: ['test/support/build-modules.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [CLUSTER],
          globalSetup: ['test/support/build-modules.ts'],
          // Each has a control plane of its own: one after the other, when all else is done.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
