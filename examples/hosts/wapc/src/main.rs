//! Runs policy-kubewarden.wasm as Kubewarden's own server does: `sluice-wapc-host policy-kubewarden.wasm [cluster.tsv]`, one
//! call a line on standard input: an operation and its payload, such as `validate {...}`. Each is answered by `1`, or `0`
//! for an error, the length of the answer, and the answer. The file holds what the cluster answers to the policy, by
//! operation and payload; what is not in it is not found.

use std::io::{stdin, stdout, BufRead, Write};
use std::sync::{Arc, Mutex};
use wapc::WapcHost;
use wasmtime_provider::WasmtimeEngineProviderBuilder;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let module = std::fs::read(std::env::args().nth(1).expect("the path of policy-kubewarden.wasm"))?;
    // Lines `operation payload<TAB>answer`.
    let cluster = std::env::args().nth(2).map(std::fs::read_to_string).transpose()?.unwrap_or_default();
    let asked = Arc::new(Mutex::new(Vec::<String>::new()));
    let heard = asked.clone();
    let engine = WasmtimeEngineProviderBuilder::new().module_bytes(&module).build()?;
    let host = WapcHost::new(
        Box::new(engine),
        Some(Box::new(move |_, binding, namespace, operation, payload| {
            let question = format!("{binding}/{namespace}/{operation} {}", String::from_utf8_lossy(payload));
            heard.lock().expect("one thread").push(question.clone());
            let known = cluster.lines().find_map(|line| line.strip_prefix(&question)?.strip_prefix('\t'));
            known.map(|answer| answer.as_bytes().to_vec()).ok_or_else(|| format!("{question}: not found").into())
        })),
    )?;
    for line in stdin().lock().split(b'\n') {
        let line = line?;
        let at = line.iter().position(|&byte| byte == b' ').unwrap_or(line.len());
        let operation = std::str::from_utf8(&line[..at])?;
        let (head, answer) = match host.call(operation, line.get(at + 1..).unwrap_or_default()) {
            Ok(answer) => ('1', answer),
            Err(error) => ('0', error.to_string().into_bytes()),
        };
        let head = format!("{head} {}\n", answer.len());
        stdout().write_all(&[head.as_bytes(), &answer, b"\n"].concat())?;
    }
    for question in asked.lock().expect("one thread").iter() {
        eprintln!("{question}");
    }
    Ok(())
}
