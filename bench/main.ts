// Prints the figures that the project holds itself to, one file after the other: `npm run bench` all of them,
// `npm run bench -- NAME...` some.

import { spawnSync } from 'node:child_process';

const files = [
  'module',
  'hosts',
  'gateway-cpu',
  'delete-cpu',
  'latency',
  'kinds',
  'objects',
  'memory',
  'mirror',
  'reconcile',
  'soak-store',
  'soak-reviews',
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !files.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`error: no bench is called ${unknown.join(', ')}; there are ${files.join(', ')}\n`);
  process.exit(2);
}
for (const file of wanted.length === 0 ? files : wanted) {
  console.log(`\n== ${file}`);
  const { status } = spawnSync('taskset', ['--cpu-list', '1', process.execPath, `bench/${file}.ts`], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
