// Which areas of the corpus are asked of the product, and in which way: the only list of it.
import { areas, type Case, loadArea } from './corpus.ts';

/** `module`: policy module and kinds alone; `gateway`: over HTTPS; `command`: `sluice review`. */
export type Way = 'module' | 'gateway' | 'command';

type Covered = boolean | ((question: Case) => boolean);

// An area that is missing here is an error, so that a new one is not overlooked.
const COVERAGE: Record<string, Covered> = {
  advancedcronjobs: true,
  broadcastjobs: true,
  clonesets: true,
  containerrecreaterequests: true,
  conversion: true,
  daemonsets: true,
  'deletion-protection': true,
  ephemeraljobs: true,
  imagelistpulljobs: true,
  imagepulljobs: true,
  imagepullsecrets: true,
  nodeimages: true,
  persistentpodstates: true,
  podmisc: true,
  podprobemarkers: true,
  podunavailablebudgets: true,
  pub: true,
  resourcedistributions: true,
  sidecarset: true,
  sidecarsets: true,
  statefulsets: true,
  uniteddeployments: true,
  workloadspread: true,
  workloadspreads: true,
};

// Where one way covers less than the others: what is no review at all is an input error of the command.
const LESS: Record<Way, Record<string, Covered>> = {
  module: {},
  gateway: {},
  command: { conversion: ({ name }) => name !== 'convert-review-no-request' },
};

/** The cases to ask this way, area by area. Throws if an area is not listed. */
export function coveredCases(way: Way): Case[] {
  return areas().flatMap((area) => loadArea(area).filter((question) => isCovered(way, question)));
}

/** One line that says what is not asked this way; undefined if nothing is left out. */
export function leftOut(way: Way): string | undefined {
  const counts = areas().flatMap((area) => {
    const cases = loadArea(area);
    const missing = cases.filter((question) => !isCovered(way, question)).length;
    return missing === 0 ? [] : [`${area} ${missing === cases.length ? missing : `${missing} of ${cases.length}`}`];
  });
  return counts.length === 0 ? undefined : `corpus, ${way}: not asked yet: ${counts.join(', ')}`;
}

/** The first case of every combination of path and verdict. */
export function oneOfEachKind(all: readonly Case[]): Case[] {
  const kinds = Map.groupBy(all, (one) => `${one.area} ${one.via ?? one.path} ${one.expect.allowed}`);
  return [...kinds.values()].flatMap((group) => group.slice(0, 1));
}

function isCovered(way: Way, question: Case): boolean {
  const covered = LESS[way][question.area] ?? COVERAGE[question.area];
  if (covered === undefined) throw new Error(`area ${question.area} is not listed in test/support/coverage.ts`);
  return typeof covered === 'boolean' ? covered : covered(question);
}
