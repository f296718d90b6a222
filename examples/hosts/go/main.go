// Runs policy.wasm in Go with wazero: `host policy.wasm`, one call a line on standard input, such as `apply {...}` or
// `review 0 1782979200000 {...}`. Each is answered by its status, the lengths of its result and effects, and these.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var ctx = context.Background()
var told = regexp.MustCompile(`^(configure|apply|remove) `) // What a new instance is told again.

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func of(p api.Module, name string, given ...uint64) uint32 {
	return uint32(must(p.ExportedFunction(name).Call(ctx, given...))[0])
}

// The answer to one call, or the trap that ended the instance.
func call(p api.Module, line []byte) (answer string, trap any) {
	defer func() { trap = recover() }()
	at := bytes.IndexByte(line, '{')
	name, webhook, now, given := "", uint64(0), 0.0, []uint64{uint64(len(line) - at)}
	if words, _ := fmt.Sscan(string(line[:at]), &name, &webhook, &now); words == 3 {
		given = []uint64{webhook, given[0], api.EncodeF64(now)}
	}
	place := of(p, "room", uint64(len(line)-at))
	if place == 0 {
		panic("longer than the module reads")
	}
	p.Memory().Write(place, line[at:])
	status := of(p, name, given...)
	result, _ := p.Memory().Read(of(p, "result"), of(p, "resultLength"))
	effects, _ := p.Memory().Read(of(p, "effects"), of(p, "effectsLength"))
	return fmt.Sprintf("%d %d %d\n%s%s\n", status, len(result), len(effects), result, effects), nil
}

func main() {
	runtime, in := wazero.NewRuntime(ctx), bufio.NewScanner(os.Stdin)
	compiled := must(runtime.CompileModule(ctx, must(os.ReadFile(os.Args[1]))))
	p := must(runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig()))
	var kept [][]byte // A host that runs for long keeps one entry an object.
	for in.Buffer(nil, 65<<20); in.Scan(); {
		answer, trap := call(p, in.Bytes())
		if trap != nil {
			p.Close(ctx)
			p, answer = must(runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig())), "trap 0 0\n\n"
			for _, earlier := range kept {
				call(p, earlier)
			}
		} else if told.Match(in.Bytes()) {
			kept = append(kept, bytes.Clone(in.Bytes()))
		}
		fmt.Print(answer)
	}
	must(0, in.Err())
}
