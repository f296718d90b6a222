// Is an object of the settings as the API server stores it? Nobody but the API server and the gateway's webhooks fills in
// defaults and checks fields: the policy takes what it is given. Asked only when settings are judged.

import { SIDECARSET_HASH } from '../../api/names';
import { Text } from '../json/text';
import { View } from '../json/view';
import { between } from '../json/writer';
import { storedVersion } from './cluster';

/** What shows that it is not, or null. */
export function storedFault(object: View): Text | null {
  const kind = object.get('kind');
  const version = storedVersion(kind.text());
  if (!object.get('apiVersion').is(version)) {
    return between('apiVersion: expected ', Text.of(version), ', the version that is stored');
  }
  if (version.includes('kruise.io/') && !object.get('spec').isObject) {
    return Text.of('spec: expected an object');
  }
  const hash = object.get('metadata').get('annotations').get(SIDECARSET_HASH);
  return kind.is('SidecarSet') && hash.text().isEmpty
    ? Text.of(
        'metadata.annotations: expected kruise.io/sidecarset-hash: the object as it is stored, such as ' +
          'sluice review -f FILE -o yaml prints it',
      )
    : null;
}
