// Prints all figures that the project holds itself to, one file after the other: `npm run bench`.

import { spawnSync } from 'node:child_process';

const files = [
  'module',
  'hosts',
  'gateway-cpu',
  'latency',
  'kinds',
  'objects',
  'memory',
  'mirror',
  'soak-store',
  'soak-reviews',
];
for (const file of files) {
  console.log(`\n== ${file}`);
  const { status } = spawnSync('taskset', ['--cpu-list', '1', process.execPath, `bench/${file}.ts`], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
