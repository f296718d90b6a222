// A waPC host has no clock. The API server notes in the object under review when its fields were set last.

import { View } from '../json/view';
import { parseTime } from '../object/time';

/** Unix time in milliseconds that the request is of, as far as it tells; 0 when it does not. */
export function timeOf(request: View): i64 {
  return max(max(latest(request.get('object')), latest(request.get('oldObject'))), 0);
}

function latest(object: View): i64 {
  const metadata = object.get('metadata');
  let time = max(
    parseTime(metadata.get('creationTimestamp').text()),
    parseTime(metadata.get('deletionTimestamp').text()),
  );
  for (let entry = metadata.get('managedFields').first(); entry.exists; entry = entry.next()) {
    time = max(time, parseTime(entry.get('time').text()));
  }
  return time;
}
