// The part of the WebAssembly JavaScript interface that the evaluator uses: the platform's types know it only for browsers.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): { name: string; kind: string }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Exports;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  type Exports = Record<string, unknown>;
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(
    bytes: Uint8Array,
    imports?: Record<string, Record<string, unknown>>,
  ): Promise<{ module: Module; instance: Instance }>;
}
