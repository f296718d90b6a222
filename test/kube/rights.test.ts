// Which refusals mean that the account lacks a right.

import { expect, test } from 'vitest';
import { ConnectionError, StatusError } from '../../component/errors.ts';
import { lacksRight } from '../../kube/rights.ts';

const forbidden = (message: string) => new StatusError(403, 'Forbidden', message);

test.each<[string, unknown, boolean]>([
  [
    'a resource that may not be read',
    forbidden('pods is forbidden: User "u" cannot list resource "pods" in API group ""'),
    true,
  ],
  ['a path that may not be read', forbidden('forbidden: User "u" cannot get path "/metrics"'), true],
  ['an unknown account', new StatusError(401, 'Unauthorized', 'Unauthorized'), true],
  ['a quota', forbidden('pods "a" is forbidden: exceeded quota: small'), false],
  ['a webhook', forbidden('admission webhook "vpod.kb.io" denied the request: cannot be deleted'), false],
  ['a conflict', new StatusError(409, 'Conflict', 'User "u" cannot update resource "pods"'), false],
  ['no answer', new ConnectionError('reset', { sent: false }), false],
])('%s', (_what, error, expected) => {
  expect(lacksRight(error)).toBe(expected);
});
