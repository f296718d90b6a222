// A clock for the limits of a server, moved by the test.

/** The server reads the clock at each look at its connections; every fifth look covers all of them. */
const LOOKS = 12;

export class Clock {
  #now = 1000;
  #reads = 0;
  #wake: () => void = () => undefined;

  readonly read = (): number => {
    if (++this.#reads >= LOOKS) this.#wake();
    return this.#now;
  };

  move(ms: number): void {
    this.#now += ms;
    this.#reads = 0;
  }

  /** Moves the clock and waits until the server has looked at all its connections, of which one must stay open. */
  async pass(ms: number): Promise<void> {
    this.move(ms);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
