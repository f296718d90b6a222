// All tests of `../slow-peers.test.ts` with requests that Node.js' parser reads.

import { sendInOtherForm } from '../support/peer.ts';

sendInOtherForm();
await import('../slow-peers.test.ts');
