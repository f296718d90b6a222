// All tests of `../requests.test.ts` with requests that Node.js' parser reads.

import { sendInOtherForm } from '../support/peer.ts';

sendInOtherForm();
await import('../requests.test.ts');
