// All tests of `../overload.test.ts` with requests that Node.js' parser reads.

import { sendInOtherForm } from '../support/peer.ts';

sendInOtherForm();
await import('../overload.test.ts');
