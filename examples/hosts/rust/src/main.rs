//! Runs policy.wasm in Rust with wasmtime: `sluice-host policy.wasm`, one call a line, as docs/reference/embedding.md tells.

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

    fn call(&mut self, line: &[u8]) -> Result<Vec<u8>> {
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
        let (result, effects) = (self.read("result", "resultLength")?, self.read("effects", "effectsLength")?);
        Ok([format!("{status} {} {}\n", result.len(), effects.len()).as_bytes(), &result, &effects, b"\n"].concat())
    }
}

fn main() -> Result<()> {
    let (engine, mut kept) = (Engine::default(), Vec::<Vec<u8>>::new()); // Long runs keep one entry an object.
    let module = Module::from_file(&engine, std::env::args().nth(1).expect("the path of policy.wasm"))?;
    let mut policy = Policy::new(&engine, &module)?;
    for line in stdin().lock().split(b'\n') {
        let line = line?;
        let answer = policy.call(&line);
        stdout().write_all(answer.as_deref().unwrap_or(b"trap 0 0\n\n"))?;
        if answer.is_err() {
            policy = Policy::new(&engine, &module)?;
            kept.iter().try_for_each(|earlier| policy.call(earlier).map(drop))?;
        } else if ["configure ", "apply ", "remove "].iter().any(|name| line.starts_with(name.as_bytes())) {
            kept.push(line);
        }
    }
    Ok(())
}
