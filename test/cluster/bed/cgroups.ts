// The control groups of a bed with nodes. Every process on a node is in them, whoever started it, so that the whole of it
// can be ended even if nobody knows any more what was started: containers outlive the kubelet that made them.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { kill } from './process-id.ts';

const ROOT = '/sys/fs/cgroup';
/** Of version 2, for everything below; version 1 has a tree each. */
const CONTROLLERS = '+cpu +cpuset +io +memory +pids';
const END_LIMIT_MS = 10_000;

/** The group of a bed's own programs; node N has the group `node-N` beside it. */
const PROGRAMS = 'programs';

/** True if this process may make groups. */
export function canMakeGroups(): boolean {
  try {
    accessSync(isUnified() ? ROOT : join(ROOT, 'pids'), constants.W_OK);
    return true;
  } catch {
    // There are none, or they are read-only.
    return false;
  }
}

/** Makes the groups of a bed and its nodes. */
export function makeGroups(folder: string, nodes: readonly string[]): void {
  const group = groupOf(folder);
  if (isUnified()) writeFileSync(join(ROOT, 'cgroup.subtree_control'), CONTROLLERS);
  for (const tree of trees()) {
    makeGroup(tree, group);
    for (const name of [PROGRAMS, ...nodes]) makeGroup(tree, join(group, name));
  }
}

/** The group of a node as the kubelet names it. */
export function nodeGroup(folder: string, node: string): string {
  return `/${groupOf(folder)}/${node}`;
}

/** A process that writes its number in this file belongs to the bed, and so does whatever it starts. */
export function membersFile(folder: string): string {
  // In version 1 one tree is enough: children follow in all.
  const tree = isUnified() ? ROOT : join(ROOT, 'pids');
  return join(tree, groupOf(folder), PROGRAMS, 'cgroup.procs');
}

/** Every group of a bed that there is, deepest first. */
export function groupsOf(folder: string): string[] {
  return trees().flatMap((tree) => treeOf(join(tree, groupOf(folder))));
}

/** Ends every process in a bed's groups and removes them. Nothing to do for a bed without nodes. */
export function clearGroups(folder: string): void {
  const deadline = performance.now() + END_LIMIT_MS;
  for (let groups = groupsOf(folder); groups.length > 0; groups = groupsOf(folder)) {
    const members = new Set(groups.flatMap(membersOf));
    for (const pid of members) kill(pid);
    if (members.size === 0) groups.forEach(remove);
    if (performance.now() > deadline) throw new Error(`${groupOf(folder)}: processes ${[...members].join(', ')} stay`);
    pause(20);
  }
}

function groupOf(folder: string): string {
  return `sluice-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
}

function makeGroup(tree: string, group: string): void {
  const path = join(tree, group);
  mkdirSync(path, { recursive: true });
  if (isUnified()) {
    if (basename(path) !== PROGRAMS) writeFileSync(join(path, 'cgroup.subtree_control'), CONTROLLERS);
    return;
  }
  // A group of version 1 takes no process before it has processors and memory.
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if (existsSync(join(path, file))) writeFileSync(join(path, file), readFileSync(join(tree, file)));
  }
}

function isUnified(): boolean {
  return existsSync(join(ROOT, 'cgroup.controllers'));
}

function trees(): string[] {
  if (isUnified()) return [ROOT];
  return existsSync(ROOT) ? readdirSync(ROOT).map((name) => join(ROOT, name)) : [];
}

// The group and all below, deepest first.
function treeOf(group: string): string[] {
  try {
    const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...below.flatMap(({ name }) => treeOf(join(group, name))), group];
  } catch {
    // It has gone meanwhile.
    return [];
  }
}

function membersOf(group: string): number[] {
  try {
    const numbers = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').map(Number);
    // 0 is an empty line, or a process that cannot be seen from here.
    return numbers.filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // A process in it is still ending; whoever calls tries again.
  }
}

// Beds are cleared while this process ends, too: nothing can be awaited then.
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
