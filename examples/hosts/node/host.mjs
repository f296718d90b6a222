// Runs policy.wasm in Node: `node host.mjs policy.wasm`, one call a line on standard input, such as `apply {...}` or
// `review 0 1782979200000 {...}`. Each is answered by its status, the lengths of its result and effects, and these.

import { readFile } from 'node:fs/promises';

const compiled = await WebAssembly.compile(await readFile(process.argv[2]));
const kept = []; // What a new instance is told; a host that runs for long keeps one entry an object.
let policy = instantiate();

function instantiate() {
  const { exports } = new WebAssembly.Instance(compiled, {});
  if (exports.abi() !== 1) throw new Error('the module does not speak version 1 of the contract');
  return exports;
}

function memory(place, length) {
  return Buffer.from(policy.memory.buffer, place >>> 0, length);
}

function call(line) {
  const at = line.indexOf('{');
  const [name, webhook, now] = line.toString('latin1', 0, at).split(' ');
  const place = policy.room(line.length - at);
  if (place === 0) throw new RangeError('longer than the module reads');
  const length = line.copy(memory(place, line.length - at), 0, at);
  return name === 'review' ? policy.review(Number(webhook), length, Number(now)) : policy[name](length);
}

function answer(line) {
  try {
    const status = call(line);
    const result = memory(policy.result(), policy.resultLength());
    const effects = memory(policy.effects(), policy.effectsLength());
    if (/^(configure|apply|remove) /.test(line.toString('latin1', 0, 10))) kept.push(line);
    return Buffer.concat([Buffer.from(`${status} ${result.length} ${effects.length}\n`), result, effects, END]);
  } catch (trap) {
    if (!(trap instanceof WebAssembly.RuntimeError || trap instanceof RangeError)) throw trap;
    policy = instantiate();
    for (const earlier of kept) call(earlier);
    return Buffer.from('trap 0 0\n\n');
  }
}

const END = Buffer.from('\n');
let waiting = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  waiting = Buffer.concat([waiting, chunk]);
  for (let end = waiting.indexOf(END); end >= 0; end = waiting.indexOf(END)) {
    process.stdout.write(answer(waiting.subarray(0, end)));
    waiting = waiting.subarray(end + 1);
  }
}
