// Runs policy.wasm in Go with wazero: `host policy.wasm`, one call a line, as docs/reference/embedding.md tells.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func of(p api.Module, name string, given ...uint64) uint32 {
	return uint32(must(p.ExportedFunction(name).Call(context.Background(), given...))[0])
}

func call(p api.Module, line string) (answer string, trap any) {
	defer func() { trap = recover() }()
	name, webhook, now, at := "", uint64(0), 0.0, strings.IndexByte(line, '{')
	given := []uint64{uint64(len(line) - at)}
	if words, _ := fmt.Sscan(line[:at], &name, &webhook, &now); words == 3 {
		given = []uint64{webhook, given[0], api.EncodeF64(now)}
	}
	if place := of(p, "room", uint64(len(line)-at)); place == 0 || !p.Memory().WriteString(place, line[at:]) {
		panic("longer than the module reads")
	}
	status := of(p, name, given...)
	result, _ := p.Memory().Read(of(p, "result"), of(p, "resultLength"))
	effects, _ := p.Memory().Read(of(p, "effects"), of(p, "effectsLength"))
	return fmt.Sprintf("%d %d %d\n%s%s\n", status, len(result), len(effects), result, effects), nil
}

func main() {
	ctx, in := context.Background(), bufio.NewReader(os.Stdin)
	runtime, module := wazero.NewRuntime(ctx), must(os.ReadFile(os.Args[1]))
	p, kept := must(runtime.Instantiate(ctx, module)), []string{} // Kept for new instances: one entry an object in long runs.
	for line, end := in.ReadString('\n'); end == nil; line, end = in.ReadString('\n') {
		answer, trap := call(p, line[:len(line)-1])
		if trap != nil {
			p.Close(ctx)
			p, answer = must(runtime.Instantiate(ctx, module)), "trap 0 0\n\n"
			for _, earlier := range kept {
				call(p, earlier)
			}
		} else if name, _, _ := strings.Cut(line, " "); strings.Contains("configure apply remove", name) {
			kept = append(kept, line[:len(line)-1])
		}
		fmt.Print(answer)
	}
}
