// Barriers by which the containers of a pod start in an order: each waits for a key of the pod's ConfigMap
// (containerlaunchpriority.md 2).

import { BARRIER_KEY_PREFIX, BARRIER_SUFFIX, CONTAINER_BARRIER_ENV } from '../../../api/names';
import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { sameValue } from '../../json/view';
import { between, Writer } from '../../json/writer';
import { writeRandom } from '../../object/draw';
import { Review } from '../../review';
import { containersOf, isAskedFor, Priorities } from './priorities';

/** A generated name is the prefix, cut to this length, and random characters. */
const PREFIX_MOST: i32 = 58;
const RANDOM_CHARACTERS: i32 = 5;
/** The greatest length of the name of a ConfigMap. */
const NAME_MOST: i32 = 253;

export function mutate(review: Review): void {
  if (!isAskedFor(review.object) || !review.isPodCreation || containersOf(review.object).count() < 2) {
    return;
  }
  const priorities = new Priorities(review.object);
  const fault = priorities.fault;
  if (fault !== null) {
    review.refuse(400, fault);
  } else if (priorities.isOrdered) {
    putBarriers(priorities.values, review);
  }
}

function putBarriers(priorities: Array<i64>, review: Review): void {
  const barrier = between('', podName(review), BARRIER_SUFFIX);
  if (barrier.length > NAME_MOST) {
    review.refuse(400, between('metadata.name: too long for a launch order: its ConfigMap would be ', barrier));
    return;
  }
  let i = 0;
  const list = review.object.edit('spec').edit('containers');
  for (let container = list.first(); container.exists; container = container.next()) {
    if (container.isObject) {
      putBarrier(Draft.of(container), barrierOf(barrier, priorities[i]));
    }
    i++;
  }
}

/** The barrier is known by the pod's name, so a pod without one gets it here and not from the API server. */
function podName(review: Review): Text {
  const metadata = review.object.get('metadata');
  const name = metadata.get('name').text();
  const prefix = metadata.get('generateName').text();
  if (!name.isEmpty || prefix.isEmpty) {
    return name;
  }
  const out = new Writer(PREFIX_MOST + RANDOM_CHARACTERS);
  out.text(prefix.slice(0, min(prefix.length, PREFIX_MOST)));
  writeRandom(RANDOM_CHARACTERS, review.uid, out);
  review.object.needObject('metadata').putText(Text.of('name'), out.toText());
  return out.toText();
}

function barrierOf(configMap: Text, priority: i64): Draft {
  const key = new Writer(24);
  key.ascii(BARRIER_KEY_PREFIX);
  key.integer(priority);
  const reference = Draft.object();
  reference.put(Text.of('name'), Draft.string(configMap));
  reference.put(Text.of('key'), Draft.string(key.toText()));
  const source = Draft.object();
  source.put(Text.of('configMapKeyRef'), reference);
  const env = Draft.object();
  env.put(Text.of('name'), Draft.ascii(CONTAINER_BARRIER_ENV));
  env.put(Text.of('valueFrom'), source);
  return env;
}

/**
 * One barrier a container, behind its other variables. One that is there already, of an earlier pass or of the pod that
 * a manifest was copied from, is replaced at its place.
 */
function putBarrier(container: Draft, barrier: Draft): void {
  let isThere = false;
  let env = container.get('env').first();
  while (env.exists) {
    // Read before: the next item behind one that is replaced is its replacement.
    const next = env.next();
    if (env.get('name').is(CONTAINER_BARRIER_ENV)) {
      if (isThere) {
        container.edit('env').removeItem(env);
      } else if (!sameValue(env, barrier)) {
        container.edit('env').replaceItem(env, barrier);
      }
      isThere = true;
    }
    env = next;
  }
  if (!isThere) {
    container.needArray('env').append(barrier);
  }
}
