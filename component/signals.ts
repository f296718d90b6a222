// Termination by signal: the first asks for an orderly end, the second ends at once.

/** Where signals come from; a process, or a stand-in. */
export type SignalSource = {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
};

/** `requested` is aborted by the first signal, `forced` by the second; `dispose` stops listening. */
export type Termination = { requested: AbortSignal; forced: AbortSignal; dispose: () => void };

/** Listens for SIGTERM and SIGINT; until `dispose` neither ends the process by itself. */
export function onTermination(source: SignalSource): Termination {
  const requested = new AbortController();
  const forced = new AbortController();
  const listener = () => (requested.signal.aborted ? forced : requested).abort();
  source.on('SIGTERM', listener);
  source.on('SIGINT', listener);
  return {
    requested: requested.signal,
    forced: forced.signal,
    dispose: () => {
      source.off('SIGTERM', listener);
      source.off('SIGINT', listener);
    },
  };
}
