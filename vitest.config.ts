// Every test there is, on two cores: files run side by side in two processes. Tests of plain sources do not wait for
// the modules to be built.

import { defineConfig } from 'vitest/config';

/** Tests that load nothing from dist/. */
const PLAIN = ['test/api/core/**', 'test/component/**', 'test/crds/**', 'test/support/compare/**'];
/** Tests of functions: they start nothing that outlasts a file and keep nothing in modules, so that files share those. */
const PURE = ['api', 'cases', 'evaluator', 'models', 'policies', 'reconcilers'].map((folder) => `test/${folder}/**`);
/** Tests in a real control plane. */
const CLUSTER = 'test/cluster/*.test.ts';
/** Those of them that hardly do anything but wait, some of them for a time that they hold. */
const PATIENT = clusterFiles('faults-budget', 'mirror', 'revoked-rights', 'unconvertible-objects');
/** Those that load a gateway as far as it goes, or hold what is left of beds. */
const ALONE = clusterFiles('bed', 'faults-gateway', 'gateway-live', 'history');
/** What all that start a control plane need. */
const IN_CLUSTER = {
  globalSetup: ['test/support/build-modules.ts'],
  testTimeout: 60_000,
  hookTimeout: 180_000,
};

function filesIn(folders: readonly string[]): string[] {
  return folders.map((folder) => `${folder}/*.test.ts`);
}

function clusterFiles(...names: string[]): string[] {
  return names.map((name) => `test/cluster/${name}.test.ts`);
}

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['test/support/seed.ts'],
    // Property tests on a busy machine; a test that takes this long on a free one is too long.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'plain', include: filesIn(PLAIN), isolate: false } },
      {
        extends: true,
        test: {
          name: 'pure',
          include: filesIn(PURE),
          exclude: PLAIN,
          globalSetup: ['test/support/build-modules.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/**/*.test.ts'],
          exclude: [...PLAIN, ...PURE, CLUSTER],
          globalSetup: ['test/support/build-modules.ts'],
        },
      },
      // When all else is done. Each file has a control plane of its own and waits half of its time: two side by side.
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [CLUSTER],
          exclude: [...PATIENT, ...ALONE],
          sequence: { groupOrder: 1 },
          ...IN_CLUSTER,
        },
      },
      // They leave the machine to each other.
      {
        extends: true,
        test: { name: 'cluster-patient', include: PATIENT, sequence: { groupOrder: 2 }, ...IN_CLUSTER },
      },
      // One after the other, with nothing beside them.
      {
        extends: true,
        test: {
          name: 'cluster-alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          ...IN_CLUSTER,
        },
      },
    ],
  },
});
