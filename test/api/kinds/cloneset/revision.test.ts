// Acceptance case 13 of cloneset.md as far as revisions show it: the recorded hashes of claim templates.
import { expect, test } from 'vitest';
import { claimTemplatesHash } from '../../../../api/kinds/cloneset/revision.ts';

const claim = (name: string, storage: string, metadata = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  status: { phase: 'Pending' },
});

test.each([
  ['10Gi', '3384891904'],
  ['20Gi', '1632514146'],
])('a claim of %s has the hash %s', (storage, hash) => {
  expect(claimTemplatesHash([claim('data', storage)])).toBe(hash);
});

test('without claims the hash is empty', () => {
  expect(claimTemplatesHash([])).toBe('');
});

test('labels and order do not count, sizes and names do', () => {
  const [a, b] = [claim('a', '1Gi'), claim('b', '2Gi')];
  const hash = claimTemplatesHash([a, b]);
  expect(claimTemplatesHash([b, claim('a', '1Gi', { labels: { x: 'y' } })])).toBe(hash);
  expect(claimTemplatesHash([claim('a', '3Gi'), b])).not.toBe(hash);
  expect(claimTemplatesHash([claim('c', '1Gi'), b])).not.toBe(hash);
});
