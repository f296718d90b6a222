// All tests of `../drain.test.ts` with requests that Node.js' parser reads.

import { sendInOtherForm } from '../support/peer.ts';

sendInOtherForm();
await import('../drain.test.ts');
