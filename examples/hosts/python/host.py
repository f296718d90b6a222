"""Runs policy.wasm in Python with wasmtime: `python host.py policy.wasm`, one call a line on standard input, such as
`apply {...}` or `review 0 1782979200000 {...}`. Each is answered by its status, the lengths of its result and effects,
and these."""

import sys

from wasmtime import Engine, Instance, Module, Store, Trap

kept = []  # What a new instance is told; a host that runs for long keeps one entry an object.


class Policy:
    def __init__(self):
        self.store = Store(engine)
        self.exports = Instance(self.store, module, []).exports(self.store)
        if self.of("abi") != 1:
            raise SystemExit("the module does not speak version 1 of the contract")

    def of(self, name, *given):
        return self.exports[name](self.store, *given)

    def read(self, place, length):
        start = self.of(place) & 0xFFFFFFFF
        return bytes(self.exports["memory"].read(self.store, start, start + self.of(length)))

    def call(self, line):
        at = line.index(b"{")
        name, *numbers = line[:at].decode().split()
        length = len(line) - at
        place = self.of("room", length) & 0xFFFFFFFF
        if place == 0:
            raise ValueError("longer than the module reads")
        self.exports["memory"].write(self.store, line[at:], place)
        if name == "review":
            return self.of(name, int(numbers[0]), length, float(numbers[1]))
        return self.of(name, length)


engine = Engine()
module = Module.from_file(engine, sys.argv[1])
policy = Policy()
for line in sys.stdin.buffer:
    line = line.rstrip(b"\n")
    try:
        status = policy.call(line)
        result, effects = policy.read("result", "resultLength"), policy.read("effects", "effectsLength")
        if line.startswith((b"configure ", b"apply ", b"remove ")):
            kept.append(line)
    except (Trap, ValueError):
        policy, status, result, effects = Policy(), "trap", b"", b""
        for earlier in kept:
            policy.call(earlier)
    answer = f"{status} {len(result)} {len(effects)}\n".encode() + result + effects + b"\n"
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
