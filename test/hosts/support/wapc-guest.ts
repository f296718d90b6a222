// A waPC host in Node, as small as one can be: for tests that ask a guest very often.
import { readFileSync } from 'node:fs';

/** What the cluster answers to a question of the guest; throws what went wrong. */
export type ClusterAnswers = (operation: string, payload: string) => string;

type Exports = { memory: WebAssembly.Memory; __guest_call(operation: number, payload: number): number };

const decoder = new TextDecoder('utf-8', { fatal: true });

export class WapcGuest {
  private readonly exports: Exports;
  private operation = Buffer.alloc(0);
  private payload = Buffer.alloc(0);
  private answer = '';
  private response = Buffer.alloc(0);
  private readonly cluster: ClusterAnswers;

  constructor(module: string, cluster: ClusterAnswers) {
    this.cluster = cluster;
    const compiled = new WebAssembly.Module(readFileSync(module));
    this.exports = new WebAssembly.Instance(compiled, { wapc: this.imports() }).exports as unknown as Exports;
  }

  /** The answer to a call. Throws the guest's error, or a WebAssembly.RuntimeError for a trap. */
  call(operation: string, payload: string | Buffer): string {
    this.operation = Buffer.from(operation);
    this.payload = Buffer.from(payload);
    const status = this.exports.__guest_call(this.operation.length, this.payload.length);
    if (status !== 1) throw new Error(this.answer);
    return this.answer;
  }

  private imports(): Record<string, unknown> {
    const say = (place: number, length: number): void => {
      this.answer = decoder.decode(this.bytes(place, length));
    };
    const give = (place: number): void => {
      this.response.copy(this.bytes(place, this.response.length));
    };
    return {
      __guest_request: (operation: number, payload: number) => {
        this.operation.copy(this.bytes(operation, this.operation.length));
        this.payload.copy(this.bytes(payload, this.payload.length));
      },
      __guest_response: say,
      __guest_error: say,
      __host_call: (...given: number[]) => this.ask(given),
      __host_response_len: () => this.response.length,
      __host_response: give,
      __host_error_len: () => this.response.length,
      __host_error: give,
    };
  }

  /** The name of the operation and the payload stand behind binding and namespace, each as place and length. */
  private ask(given: readonly number[]): number {
    const text = (at: number): string => decoder.decode(this.bytes(given[at] ?? 0, given[at + 1] ?? 0));
    try {
      this.response = Buffer.from(this.cluster(text(4), text(6)));
      return 1;
    } catch (error) {
      this.response = Buffer.from(String(error));
      return 0;
    }
  }

  private bytes(place: number, length: number): Buffer {
    return Buffer.from(this.exports.memory.buffer, place >>> 0, length);
  }
}
