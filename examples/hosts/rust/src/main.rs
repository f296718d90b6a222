//! Runs policy.wasm in Rust with wasmtime: `sluice-host policy.wasm`, one call a line on standard input, such as
//! `apply {...}` or `review 0 1782979200000 {...}`. Each is answered by its status, the lengths of its result and effects,
//! and these.

use std::io::{stdin, stdout, BufRead, Write};
use wasmtime::{ensure, Engine, Instance, Memory, Module, Result, Store, WasmParams};

struct Policy(Store<()>, Instance, Memory);

impl Policy {
    fn new(engine: &Engine, module: &Module) -> Result<Policy> {
        let mut store = Store::new(engine, ());
        let instance = Instance::new(&mut store, module, &[])?;
        let memory = instance.get_memory(&mut store, "memory").expect("the module exports its memory");
        let mut policy = Policy(store, instance, memory);
        assert_eq!(policy.of("abi", ())?, 1, "the module does not speak version 1 of the contract");
        Ok(policy)
    }

    fn of(&mut self, name: &str, given: impl WasmParams) -> Result<i32> {
        self.1.get_typed_func(&mut self.0, name)?.call(&mut self.0, given)
    }

    fn read(&mut self, place: &str, length: &str) -> Result<Vec<u8>> {
        let (start, length) = (self.of(place, ())? as u32 as usize, self.of(length, ())? as usize);
        Ok(self.2.data(&self.0)[start..start + length].to_vec())
    }

    fn call(&mut self, line: &[u8]) -> Result<(i32, Vec<u8>, Vec<u8>)> {
        let (before, input) = line.split_at(line.iter().position(|&byte| byte == b'{').expect("a JSON object"));
        let words: Vec<&str> = std::str::from_utf8(before)?.split_whitespace().collect();
        let length = input.len() as i32;
        let place = self.of("room", length)? as u32 as usize;
        ensure!(place != 0, "longer than the module reads");
        self.2.write(&mut self.0, place, input)?;
        let status = match words[..] {
            [name, webhook, now] => self.of(name, (webhook.parse::<i32>()?, length, now.parse::<f64>()?))?,
            _ => self.of(words[0], length)?,
        };
        Ok((status, self.read("result", "resultLength")?, self.read("effects", "effectsLength")?))
    }
}

fn main() -> Result<()> {
    let engine = Engine::default();
    let module = Module::from_file(&engine, std::env::args().nth(1).expect("the path of policy.wasm"))?;
    let mut policy = Policy::new(&engine, &module)?;
    let mut kept = vec![]; // What a new instance is told; a host that runs for long keeps one entry an object.
    for line in stdin().lock().split(b'\n') {
        let line = line?;
        match policy.call(&line) {
            Ok((status, result, effects)) => {
                let head = format!("{status} {} {}\n", result.len(), effects.len());
                stdout().write_all(&[head.as_bytes(), &result, &effects, b"\n"].concat())?;
                if ["configure ", "apply ", "remove "].iter().any(|name| line.starts_with(name.as_bytes())) {
                    kept.push(line);
                }
            }
            Err(_) => {
                policy = Policy::new(&engine, &module)?;
                for earlier in &kept { policy.call(earlier)?; }
                stdout().write_all(b"trap 0 0\n\n")?;
            }
        }
    }
    Ok(())
}
