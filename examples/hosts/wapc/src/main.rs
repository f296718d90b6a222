//! Runs policy-kubewarden.wasm as Kubewarden's own server does: `sluice-wapc-host policy-kubewarden.wasm`, one call a line on
//! standard input: an operation and its payload, such as `validate {...}`. Each is answered by `1`, or `0` for an error, the
//! length of the answer, and the answer. A line `cluster QUESTION<TAB>ANSWER` says what the cluster answers to a question of
//! the policy, such as `get_resource {...}`; `cluster` alone forgets all. What was not said is not found.

use std::collections::HashMap;
use std::io::{stdin, stdout, BufRead, Write};
use std::sync::{Arc, Mutex};
use wapc::WapcHost;
use wasmtime_provider::WasmtimeEngineProviderBuilder;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let module = std::fs::read(std::env::args().nth(1).expect("the path of policy-kubewarden.wasm"))?;
    let cluster = Arc::new(Mutex::new(HashMap::<String, String>::new()));
    let known = cluster.clone();
    let engine = WasmtimeEngineProviderBuilder::new().module_bytes(&module).build()?;
    let answer = move |_, binding: &str, namespace: &str, operation: &str, payload: &[u8]| {
        if (binding, namespace) != ("kubewarden", "kubernetes") {
            return Err(format!("{binding}/{namespace}: there is no such capability").into());
        }
        let question = format!("{operation} {}", String::from_utf8_lossy(payload));
        let answer = known.lock().expect("one thread").get(&question).map(|text| text.clone().into_bytes());
        answer.ok_or_else(|| format!("{question}: not found").into())
    };
    let host = WapcHost::new(Box::new(engine), Some(Box::new(answer)))?;
    for line in stdin().lock().lines() {
        let line = line?;
        let (operation, payload) = line.split_once(' ').unwrap_or((&line, ""));
        if operation == "cluster" {
            let mut cluster = cluster.lock().expect("one thread");
            match payload.split_once('\t') {
                Some((question, answer)) => drop(cluster.insert(question.into(), answer.into())),
                None => cluster.clear(),
            }
            continue;
        }
        let (head, answer) = match host.call(operation, payload.as_bytes()) {
            Ok(answer) => ('1', answer),
            Err(error) => ('0', error.to_string().into_bytes()),
        };
        let head = format!("{head} {}\n", answer.len());
        stdout().write_all(&[head.as_bytes(), &answer, b"\n"].concat())?;
    }
    Ok(())
}
