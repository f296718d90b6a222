// Long work in small steps: a process that does nothing else for seconds loses its lease.

/** So long one turn takes, but for the step that it ends with. */
const TURN_MS = 10;

/** Does all steps, and lets others have their turn every now and then. Rejects with the signal's reason. */
export async function inTurns(steps: Iterable<unknown>, monotonic: () => number, signal: AbortSignal): Promise<void> {
  let startedAt = monotonic();
  for (const _step of steps) {
    if (monotonic() - startedAt < TURN_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    startedAt = monotonic();
  }
}
