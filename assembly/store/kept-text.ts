// One text that outlives reviews: the list of objects that the store was made from.

import { Text } from '../json/text';
import { give, take } from './heap';

let place: usize = 0;
let length: i32 = 0;

/** The text, empty at first. */
export function keptText(): Text {
  return new Text(place, length);
}

/** Keeps a copy of another text instead; false when the memory has no more room: then none is kept. */
export function keepText(text: Text): bool {
  if (place != 0) {
    give(place, length);
  }
  place = take(text.length);
  length = place == 0 ? 0 : text.length;
  memory.copy(place, text.start, length);
  return place != 0;
}
