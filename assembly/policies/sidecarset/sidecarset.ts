// Sidecar injection into a pod that is being created (sidecarset.md 5).

import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { Names } from '../../object/names';
import { isActive } from '../../object/pod';
import { Operation, Review } from '../../review';
import { injectedBefore, Recorded, writeAnnotations } from './annotations';
import { Attachments, attachContainers, sortByName } from './attach';
import { build, Injected, Source } from './container';
import { Match, matching, Subject, withoutReplaced } from './matching';
import { patchMetadata } from './metadata';
import { preparedContainers, preparedVolumes } from './prepared';
import { Resources } from './resources';
import { chooseRevision } from './revision';
import { Sameness } from './same';

export function mutate(review: Review): void {
  if (review.operation != Operation.Create || !review.isAboutPods || !isActive(review.object)) {
    return;
  }
  const subject = new Subject(review);
  let matches = matching(subject);
  for (let i = 0; i < matches.length && !review.isRefused; i++) {
    chooseRevision(matches[i], subject, review);
  }
  matches = withoutReplaced(matches);
  if (matches.length > 0 && !review.isRefused) {
    inject(matches, review);
  }
}

function inject(matches: Array<Match>, review: Review): void {
  const annotations = review.object.get('metadata').get('annotations');
  // Read before the first patch, which may change it.
  let injected: Names | null = null;
  for (let i = 0; i < matches.length; i++) {
    const patches = matches[i].spec.get('patchPodMetadata');
    if (!patches.isEmpty) {
      if (injected === null) {
        injected = injectedBefore(annotations);
      }
      patchMetadata(patches, injected.has(matches[i].name), review);
    }
  }
  if (review.isRefused) {
    return;
  }
  const recorded = new Recorded(review);
  const injection = new Injection(matches, review);
  if (review.isRefused || !injection.hasContainers) {
    return;
  }
  injection.attach(review);
  writeAnnotations(matches, injection.hotContainers, recorded, review);
}

/** What all sets together bring into the pod. */
class Injection {
  readonly initContainers: Array<Injected> = [];
  readonly containers: Array<Injected> = new Array<Injected>(0);
  /** Base names of the hot-upgrade pairs. */
  readonly hotContainers: Array<Text> = [];

  constructor(
    private readonly matches: Array<Match>,
    review: Review,
  ) {
    const resources = new Resources(matches, review);
    for (let i = 0; i < matches.length && !review.isRefused; i++) {
      this.buildAll(matches[i], true, resources);
      this.buildAll(matches[i], false, resources);
    }
  }

  get hasContainers(): bool {
    return this.initContainers.length + this.containers.length > 0;
  }

  private buildAll(match: Match, isInit: bool, resources: Resources): void {
    const list = match.spec.get(isInit ? 'initContainers' : 'containers');
    const into = isInit ? this.initContainers : this.containers;
    let prepared = preparedContainers(match.prepared, isInit).first();
    for (let item = list.first(); item.exists; item = item.next()) {
      const before = into.length;
      build(new Source(item, prepared, isInit), resources, into);
      match.hasInjected = true;
      if (into.length - before == 2) {
        this.hotContainers.push(item.get('name').text());
      }
      prepared = prepared.next();
    }
  }

  attach(review: Review): void {
    const spec = review.object.needObject('spec');
    sortByName(this.initContainers);
    if (isOn(Gate.SortSidecarsByName)) {
      sortByName(this.containers);
    }
    const sameness = new Sameness(review.object);
    attachContainers(spec, 'initContainers', this.initContainers, sameness);
    attachContainers(spec, 'containers', this.containers, sameness);
    const attachments = new Attachments(spec);
    for (let i = 0; i < this.matches.length; i++) {
      const match = this.matches[i];
      if (match.prepared.exists) {
        attachments.addVolumes(preparedVolumes(match.prepared));
      } else {
        attachments.addMounted(match.spec);
      }
      attachments.addSecrets(match.spec.get('imagePullSecrets'));
    }
  }
}
