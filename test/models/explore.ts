// Looks at every state that a model can get into, in breadth, so that what goes wrong first is told by the fewest steps. It is
// done when there is no new state; then it is known also that no run goes on for ever.

export type Step<S> = {
  /** What happens, for traces. */
  readonly label: string;
  readonly to: S;
  /** What must not happen, if it did. */
  readonly fault?: string | undefined;
};

export type Model<S> = {
  readonly initial: S;
  /** Equal for states that have the same future. */
  key(state: S): string;
  steps(state: S): readonly Step<S>[];
  /** What is wrong in a state, whatever comes next. */
  fault(state: S): string | undefined;
  /** What is missing in a state after which nothing happens. */
  faultAtRest(state: S): string | undefined;
};

export type Explored = {
  readonly states: number;
  readonly transitions: number;
  /** States in which a run ends. */
  readonly ends: number;
  /** Steps of the shortest way to the state that is farthest off. */
  readonly depth: number;
  /** A fault and the shortest way to it. */
  readonly counterExample: { readonly fault: string; readonly trace: readonly string[] } | undefined;
};

/** Throws when there are more than `mostStates`. */
export function explore<S>(model: Model<S>, mostStates: number): Explored {
  const known = new Map<string, number>();
  const states: (S | undefined)[] = [];
  const ways: { from: number; label: string; depth: number }[] = [];
  const edges: number[] = [];
  const incoming: number[] = [];
  let ends = 0;
  const enter = (state: S, from: number, label: string): number => {
    const key = model.key(state);
    const present = known.get(key);
    if (present !== undefined) return present;
    if (known.size === mostStates) throw new Error(`there are more than ${mostStates} states`);
    known.set(key, states.length);
    ways.push({ from, label, depth: from < 0 ? 0 : (ways[from]?.depth ?? 0) + 1 });
    incoming.push(0);
    return states.push(state) - 1;
  };
  const report = (fault: string | undefined, at: number, last: readonly string[] = []): Explored => ({
    states: states.length,
    transitions: edges.length / 2,
    ends,
    depth: ways.at(-1)?.depth ?? 0,
    counterExample: fault === undefined ? undefined : { fault, trace: [...traceTo(ways, at), ...last] },
  });
  enter(model.initial, -1, '');
  for (let at = 0; at < states.length; at++) {
    const state = states[at] as S;
    // It is not looked at again.
    states[at] = undefined;
    const fault = model.fault(state);
    if (fault !== undefined) return report(fault, at);
    const steps = model.steps(state);
    if (steps.length === 0) {
      ends++;
      const missing = model.faultAtRest(state);
      if (missing !== undefined) return report(missing, at);
    }
    for (const { label, to, fault: wrong } of steps) {
      if (wrong !== undefined) return report(wrong, at, [label]);
      const next = enter(to, at, label);
      edges.push(at, next);
      incoming[next] = (incoming[next] ?? 0) + 1;
    }
  }
  const circular = onCircle(edges, incoming);
  return report(circular === undefined ? undefined : 'this can go on for ever', circular ?? 0);
}

function traceTo(ways: readonly { from: number; label: string }[], at: number): string[] {
  const trace: string[] = [];
  for (let way = ways[at]; way !== undefined && way.from >= 0; way = ways[way.from]) trace.unshift(way.label);
  return trace;
}

/** A state that can be come back to. Edges are in the order of where they start. */
function onCircle(edges: readonly number[], incoming: readonly number[]): number | undefined {
  const first = new Map<number, number>();
  for (let i = edges.length - 2; i >= 0; i -= 2) first.set(edges[i] ?? 0, i);
  const left = [...incoming];
  const free = left.flatMap((count, state) => (count === 0 ? [state] : []));
  for (let state = free.pop(); state !== undefined; state = free.pop()) {
    for (let i = first.get(state) ?? edges.length; edges[i] === state; i += 2) {
      const next = edges[i + 1] ?? 0;
      const count = (left[next] ?? 0) - 1;
      left[next] = count;
      if (count === 0) free.push(next);
    }
  }
  const circular = left.findIndex((count) => count > 0);
  return circular < 0 ? undefined : circular;
}
