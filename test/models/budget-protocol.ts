// A model of how units of one budget are given to requests (docs/decisions/0010): gateways whose caches lag, batches that are
// written by compare-and-swap, kills, lost answers and writes that land late, and a controller that settles. Every rule can be
// taken away.

import type { Model, Step } from './explore.ts';

/** What the protocol does. A rule that is false is not kept. */
export type Rules = {
  /** A grant is answered once it is written. */
  readonly writesFirst: boolean;
  /** A write holds only for the version that was decided on. */
  readonly comparesVersions: boolean;
  /** After a conflict it is decided again, and not only written again. */
  readonly decidesAgain: boolean;
  /** A record of the pod that is known is looked up before it lets the pod go. */
  readonly looksUpRecords: boolean;
  /** A write without a clear answer is looked up and not taken for done. */
  readonly readsWhatIsUnclear: boolean;
  /** A gateway that starts answers once it has the budgets. */
  readonly loadsFirst: boolean;
  /** What the controller writes holds only for the version that it looked at. */
  readonly controllerComparesVersions: boolean;
  /** Pods on record are not counted as available. */
  readonly controllerKeepsRecords: boolean;
  /** Records that came to nothing are given up. */
  readonly controllerGivesUp: boolean;
  /** Of time: what a record let go is carried out, or never will be, before the record is given up. */
  readonly recordsOutlastRequests: boolean;
  /** Of time: the controller has heard of what became of a pod before it gives up its record. */
  readonly controllerHearsInTime: boolean;
};

export const ALL_RULES: Rules = {
  writesFirst: true,
  comparesVersions: true,
  decidesAgain: true,
  looksUpRecords: true,
  readsWhatIsUnclear: true,
  loadsFirst: true,
  controllerComparesVersions: true,
  controllerKeepsRecords: true,
  controllerGivesUp: true,
  recordsOutlastRequests: true,
  controllerHearsInTime: true,
};

export type Setting = {
  readonly pods: number;
  /** The pods that may be away at once. */
  readonly units: number;
  /** The pod that each request is about. */
  readonly requests: readonly number[];
  readonly gateways: number;
  /** How often a gateway is killed. */
  readonly kills: number;
  /** How often an answer is lost, a write is late, or a caller does not wait. */
  readonly losses: number;
  readonly rules: Rules;
};

/** The budget as it was stored at some time; `records` is a set of pods, as bits. */
type Version = { readonly version: number; readonly allowed: number; readonly records: number };

/** What a write wants to have stored in place of a version. */
type Write = { readonly base: number; readonly allowed: number; readonly records: number; readonly added: number };

type Batch = {
  readonly write: Write;
  /** On its way; stored, with the answer on its way; nobody knows. */
  readonly phase: 'sent' | 'stored' | 'unclear';
};

type Gateway = {
  readonly cache: Version | undefined;
  readonly batch: Batch | undefined;
};

type RequestState =
  | 'unsent'
  /** Waits for the next batch. */
  | 'queued'
  /** Its record is being looked up. */
  | 'asking'
  /** Takes a unit, in a batch. */
  | 'taking'
  /** Takes none, in a batch. */
  | 'refused'
  /** The API server has, or is about to get, the answer that it is allowed. */
  | 'granted'
  | 'over';

type Request = { readonly state: RequestState; readonly gateway: number };

export type State = {
  readonly stored: Version;
  /** Pods that are there. */
  readonly present: number;
  /** Pods that the controller knows of. */
  readonly seen: number;
  readonly gateways: readonly Gateway[];
  readonly requests: readonly Request[];
  /** Writes whose sender does not wait for them any longer. */
  readonly stray: readonly Write[];
  /** What the controller is about to write; `added` are the records that it gives up. */
  readonly plan: Write | undefined;
  readonly kills: number;
  readonly losses: number;
};

const OVER: Request = { state: 'over', gateway: 0 };

export function budgetProtocol(setting: Setting): Model<State> {
  const { pods, units } = setting;
  const all = (1 << pods) - 1;
  const stored = { version: 0, allowed: units, records: 0 };
  return {
    initial: {
      stored,
      present: all,
      seen: all,
      gateways: Array.from({ length: setting.gateways }, () => ({ cache: stored, batch: undefined })),
      requests: setting.requests.map(() => ({ state: 'unsent', gateway: 0 })),
      stray: [],
      plan: undefined,
      kills: setting.kills,
      losses: setting.losses,
    },
    key: keyOf,
    steps: (state) => new Steps(setting, state).all(),
    fault: (state) => {
      const away = size(all & ~(state.present & ~granted(setting, state)));
      return away > units ? `${away} pods are away or may go, and ${units} may be` : undefined;
    },
    faultAtRest: ({ requests, stored: { allowed, records }, present }) => {
      if (requests.some(({ state }) => state !== 'over')) return 'a request is not answered';
      if (records !== 0) return 'a record stays for ever';
      const right = size(present) - (pods - units);
      return allowed === right ? undefined : `${allowed} units are left, and not ${right}`;
    },
  };
}

/** Pods that requests may take away at any time. */
function granted({ requests: about }: Setting, { requests }: State): number {
  return requests.reduce((set, { state }, i) => (state === 'granted' ? set | bit(about[i]) : set), 0);
}

/** All that can happen next in one state. */
class Steps {
  private readonly setting: Setting;
  private readonly state: State;
  private readonly found: Step<State>[] = [];

  constructor(setting: Setting, state: State) {
    this.setting = setting;
    this.state = state;
  }

  all(): readonly Step<State>[] {
    const { requests, gateways, stray } = this.state;
    for (const i of requests.keys()) this.request(i);
    for (const g of gateways.keys()) this.gateway(g);
    for (const i of stray.keys()) this.strayWrite(i);
    this.controller();
    return this.found;
  }

  private add(label: string, change: Partial<State>, fault?: string): void {
    this.found.push({ label, to: { ...this.state, ...change }, fault });
  }

  private request(i: number): void {
    const request = this.state.requests[i] ?? OVER;
    const pod = bit(this.setting.requests[i]);
    if (request.state === 'unsent') {
      for (const [g, { cache }] of this.state.gateways.entries()) {
        this.add(`request ${i} comes to gateway ${g}`, this.requestTo(i, g, this.first(cache, pod)));
      }
    } else if (request.state === 'asking') this.lookUp(i, request.gateway, pod);
    else if (request.state === 'granted') {
      this.add(`request ${i} is carried out`, { ...this.requestTo(i, 0, 'over'), present: this.state.present & ~pod });
      this.add(`request ${i} is refused by others`, this.requestTo(i, 0, 'over'));
    } else if ((request.state === 'taking' || request.state === 'refused') && this.state.losses > 0) {
      const losses = this.state.losses - 1;
      this.add(`request ${i} is answered as late`, { ...this.requestTo(i, 0, 'over'), losses });
    }
  }

  private requestTo(i: number, gateway: number, state: RequestState): Pick<State, 'requests'> {
    return { requests: this.state.requests.with(i, placed(state, gateway)) };
  }

  /** By what a gateway knows, without waiting. */
  private first(cache: Version | undefined, pod: number): RequestState {
    if (cache === undefined) return 'granted';
    if ((cache.records & pod) !== 0) return this.setting.rules.looksUpRecords ? 'asking' : 'granted';
    return cache.allowed > 0 ? 'queued' : 'over';
  }

  /** Reads the budget: what lies between the read and the decision is the same as a decision that is answered later. */
  private lookUp(i: number, g: number, pod: number): void {
    const { plan } = this.state;
    const isEnding = this.setting.rules.recordsOutlastRequests && ((plan?.added ?? 0) & pod) !== 0;
    if (isEnding) return;
    const cache = this.state.stored;
    const isRecorded = (cache.records & pod) !== 0;
    const state = isRecorded ? 'granted' : cache.allowed > 0 ? 'queued' : 'over';
    this.add(`gateway ${g} looks up the record for request ${i}`, {
      ...this.requestTo(i, g, state),
      gateways: this.state.gateways.with(g, { ...this.at(g), cache }),
    });
  }

  private at(g: number): Gateway {
    return this.state.gateways[g] ?? { cache: undefined, batch: undefined };
  }

  private gateway(g: number): void {
    const { stored, gateways, kills } = this.state;
    const { cache, batch } = this.at(g);
    if (cache?.version !== stored.version) {
      this.add(`gateway ${g} hears of version ${stored.version}`, {
        gateways: gateways.with(g, { cache: stored, batch }),
      });
    }
    if (batch !== undefined) this.batch(g, batch);
    else if (cache !== undefined) this.startBatches(g, cache);
    if (kills > 0) this.kill(g, batch);
  }

  /** In every order in which it matters who came first. */
  private startBatches(g: number, cache: Version): void {
    const queued = [...this.state.requests.keys()].filter((i) => this.isOf(i, g, 'queued'));
    if (queued.length === 0) return;
    const isScarce = cache.allowed < queued.length || this.hasCopies(queued);
    for (const order of isScarce ? permutations(queued) : [queued]) this.startBatch(g, cache, order);
  }

  private hasCopies(requests: readonly number[]): boolean {
    return new Set(requests.map((i) => this.setting.requests[i])).size < requests.length;
  }

  private isOf(i: number, g: number, ...states: RequestState[]): boolean {
    const request = this.state.requests[i] ?? OVER;
    return request.gateway === g && states.includes(request.state);
  }

  private startBatch(g: number, cache: Version, order: readonly number[]): void {
    const { rules } = this.setting;
    let { allowed, records } = cache;
    const states = order.map((i): RequestState => {
      const pod = bit(this.setting.requests[i]);
      if ((records & pod) !== 0) return rules.looksUpRecords ? 'asking' : 'taking';
      if (allowed <= 0) return 'refused';
      allowed--;
      records |= pod;
      return rules.writesFirst ? 'taking' : 'granted';
    });
    const added = records & ~cache.records;
    // Without anything to write there is nothing to wait for.
    const settled = (state: RequestState) =>
      added === 0 && state === 'refused' ? 'over' : added === 0 && state === 'taking' ? 'granted' : state;
    const write = { base: cache.version, allowed, records, added };
    this.add(`gateway ${g} decides ${order.join(', ')} by version ${cache.version}`, {
      requests: this.state.requests.map((request, i) => {
        const state = states[order.indexOf(i)];
        return state === undefined ? request : placed(settled(state), g);
      }),
      ...(added !== 0 && { gateways: this.state.gateways.with(g, { cache, batch: { write, phase: 'sent' } }) }),
    });
  }

  private batch(g: number, { write, phase }: Batch): void {
    const { losses, stray, gateways } = this.state;
    const { rules } = this.setting;
    const { cache } = this.at(g);
    const unclear = gateways.with(g, { cache, batch: { write, phase: 'unclear' } });
    if (phase === 'sent') {
      const { isStored, stored, fault } = this.store(write);
      const next = isStored ? gateways.with(g, { cache, batch: { write, phase: 'stored' } }) : unclear;
      this.add(`the write of gateway ${g} is ${isStored ? 'stored' : 'a conflict'}`, { stored, gateways: next }, fault);
      if (losses > 0) {
        const late = { losses: losses - 1, stray: [...stray, write] };
        this.add(`gateway ${g} does not wait for its write any longer`, { ...late, ...this.given(g, unclear) });
      }
    } else if (phase === 'stored') {
      const { allowed, records } = write;
      const own = { version: write.base + 1, allowed, records };
      this.add(`gateway ${g} hears that its write is stored`, this.answered(g, newer(own, cache)));
      if (losses > 0) {
        this.add(`the answer to the write of gateway ${g} is lost`, {
          losses: losses - 1,
          ...this.given(g, unclear),
        });
      }
    } else {
      this.readAgain(g, rules.decidesAgain ? undefined : write);
      if (losses > 0) {
        const failed = this.state.requests.map((one, i) => (this.isOf(i, g, 'taking', 'refused') ? OVER : one));
        this.add(`gateway ${g} cannot read the budget`, {
          losses: losses - 1,
          requests: failed,
          gateways: gateways.with(g, { cache, batch: undefined }),
        });
      }
    }
  }

  /** What is believed of a write without a clear answer. */
  private given(g: number, unclear: readonly Gateway[]): Partial<State> {
    return this.setting.rules.readsWhatIsUnclear ? { gateways: unclear } : this.answered(g, this.at(g).cache);
  }

  /** Those of the batch get their answers. */
  private answered(g: number, cache: Version | undefined): Partial<State> {
    return {
      requests: this.state.requests.map((request, i) =>
        this.isOf(i, g, 'taking') ? placed('granted', g) : this.isOf(i, g, 'refused') ? OVER : request,
      ),
      gateways: this.state.gateways.with(g, { cache, batch: undefined }),
    };
  }

  /** Decides again by what is stored, or sends the same once more. */
  private readAgain(g: number, same: Write | undefined): void {
    const { stored, gateways, requests } = this.state;
    const batch: Batch | undefined = same && { write: { ...same, base: stored.version }, phase: 'sent' };
    this.add(`gateway ${g} reads version ${stored.version}`, {
      gateways: gateways.with(g, { cache: stored, batch }),
      ...(same === undefined && {
        requests: requests.map((one, i) => (this.isOf(i, g, 'taking', 'refused') ? placed('queued', g) : one)),
      }),
    });
  }

  private store(write: Write): { isStored: boolean; stored: Version; fault: string | undefined } {
    const { stored } = this.state;
    if (this.setting.rules.comparesVersions && write.base !== stored.version) {
      return { isStored: false, stored, fault: undefined };
    }
    const { allowed, records, added } = write;
    const twice = stored.allowed - allowed !== size(added) || (stored.records | added) !== records;
    const isWrong = this.setting.rules.comparesVersions && this.setting.rules.decidesAgain && twice;
    return {
      isStored: true,
      stored: { version: stored.version + 1, allowed, records },
      fault: isWrong ? 'a write takes something else than one unit for each pod' : undefined,
    };
  }

  /** Another one takes its place, which has the budgets as they are stored. Those who wait for it are refused. */
  private kill(g: number, batch: Batch | undefined): void {
    const { gateways, requests, stray, stored, kills } = this.state;
    const cache = this.setting.rules.loadsFirst ? stored : undefined;
    const waits = (i: number) => this.isOf(i, g, 'queued', 'asking', 'taking', 'refused');
    this.add(`gateway ${g} is killed`, {
      kills: kills - 1,
      gateways: gateways.with(g, { cache, batch: undefined }),
      requests: requests.map((one, i) => (waits(i) ? OVER : one)),
      stray: batch?.phase === 'sent' ? [...stray, batch.write] : stray,
    });
  }

  private strayWrite(i: number): void {
    const write = this.state.stray[i];
    if (write === undefined) return;
    const stray = this.state.stray.toSpliced(i, 1);
    const { stored, fault } = this.store(write);
    this.add('a write that nobody waits for arrives', { stray, stored }, fault);
    this.add('a write that nobody waits for is lost', { stray });
  }

  private controller(): void {
    const { plan, present, seen, stored } = this.state;
    const { pods, rules } = this.setting;
    for (let pod = 1; pod < 1 << pods; pod <<= 1) {
      if ((seen & ~present & pod) !== 0) {
        this.add(`the controller hears that pod ${Math.log2(pod)} is gone`, { seen: seen & ~pod });
      }
    }
    if (plan !== undefined) this.settle(plan);
    else {
      const records = rules.controllerKeepsRecords ? stored.records & seen : 0;
      const old = rules.controllerGivesUp ? records & ~this.tooYoung() : 0;
      for (const given of subsets(old)) this.planTo(records & ~given);
    }
  }

  /** Pods whose records cannot be old enough to be given up. */
  private tooYoung(): number {
    const { seen, present, requests } = this.state;
    const { rules, requests: about } = this.setting;
    const underWay = requests.reduce(
      (set, { state }, i) => (state === 'granted' || state === 'taking' ? set | bit(about[i]) : set),
      0,
    );
    return (rules.recordsOutlastRequests ? underWay : 0) | (rules.controllerHearsInTime ? seen & ~present : 0);
  }

  private planTo(records: number): void {
    const { seen, stored } = this.state;
    const { pods, units } = this.setting;
    const allowed = Math.max(0, size(seen & ~records) - (pods - units));
    if (allowed === stored.allowed && records === stored.records) return;
    const added = stored.records & ~records & seen;
    this.add(`the controller counts ${allowed} units by version ${stored.version}`, {
      plan: { base: stored.version, allowed, records, added },
    });
  }

  private settle({ base, allowed, records }: Write): void {
    const { stored } = this.state;
    if (this.setting.rules.controllerComparesVersions && base !== stored.version) {
      this.add('the write of the controller is a conflict', { plan: undefined });
      return;
    }
    this.add(`the controller writes ${allowed} units`, {
      plan: undefined,
      stored: { version: stored.version + 1, allowed, records },
    });
  }
}

function newer(one: Version, other: Version | undefined): Version {
  return other !== undefined && other.version > one.version ? other : one;
}

function placed(state: RequestState, gateway: number): Request {
  return { state, gateway: hasPlace(state) ? gateway : 0 };
}

function bit(index: number | undefined): number {
  return index === undefined ? 0 : 1 << index;
}

function size(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function subsets(set: number): number[] {
  const found = [set];
  for (let part = set; part !== 0; ) {
    part = (part - 1) & set;
    found.push(part);
  }
  return found;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, i) => permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

const STATES: readonly RequestState[] = ['unsent', 'queued', 'asking', 'taking', 'refused', 'granted', 'over'];

/** Gateways are alike, and so are their places; of versions only the order counts. */
function keyOf({ stored, gateways, requests, stray, plan, present, seen, kills, losses }: State): string {
  const versions = new Set([stored.version, ...stray.map(({ base }) => base)]);
  if (plan !== undefined) versions.add(plan.base);
  for (const { cache, batch } of gateways) {
    if (cache !== undefined) versions.add(cache.version);
    if (batch !== undefined) versions.add(batch.write.base);
    if (batch?.phase === 'stored') versions.add(batch.write.base + 1);
  }
  const ranks = [...versions].sort((a, b) => a - b);
  const version = (one: Version | undefined) =>
    one === undefined ? '-' : `${ranks.indexOf(one.version)}${one.allowed}${one.records}.`;
  const write = (one: Write | undefined) =>
    one === undefined ? '-' : `${ranks.indexOf(one.base)}${one.allowed}${one.records}.${one.added}.`;
  const places = requests.map(({ state }) => STATES.indexOf(state)).join('');
  const signatures = gateways.map(({ cache, batch }, g) => {
    const own = requests.reduce(
      (set, { state, gateway }, i) => (hasPlace(state) && gateway === g ? set | bit(i) : set),
      0,
    );
    return `${version(cache)}${own}${batch === undefined ? '' : `${batch.phase[1]}${write(batch.write)}`}`;
  });
  const writes = stray.map(write).sort().join('');
  return `${version(stored)}${present}.${seen}.${write(plan)}${kills}${losses}${places} ${signatures.sort().join(' ')} ${writes}`;
}

function hasPlace(state: RequestState): boolean {
  return state !== 'unsent' && state !== 'granted' && state !== 'over';
}
