//! One request in, one answer out: reading, dispatching, and surviving whatever goes wrong.
//!
//! A sample that fails in any way costs its host: the runtime is shut down with all that is left
//! of the sample, and the next request starts a new one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::host::Host;
use crate::memory;
use crate::params::{Hosted, Parameters};
use crate::peer::{Memory, Peer, Run, Runtime, Sample};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    workload: String,
    #[serde(default)]
    params: Map<String, Value>,
}

/// A line of standard output after the greeting.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    Measured {
        ops: u64,
        ns: u64,
        /// Highest resident size since the request was read.
        peak_rss_kib: u64,
    },
    Idle {
        ops: u64,
        bytes_per_actor: u64,
    },
    Failed {
        error: String,
    },
}

impl Answer {
    fn measured(sample: Sample) -> Result<Self, String> {
        Ok(Self::Measured {
            ops: sample.ops,
            ns: u64::try_from(sample.elapsed.as_nanos()).unwrap_or(u64::MAX),
            peak_rss_kib: memory::peak_kib()?,
        })
    }
}

pub struct Session {
    peer: Peer,
    host: Option<Host>,
}

impl Session {
    pub fn new(peer: Peer) -> Self {
        Self { peer, host: None }
    }

    /// Answers one line; never panics for what the line holds.
    pub fn answer(&mut self, line: &[u8]) -> Answer {
        self.dispatch(line).unwrap_or_else(|error| Answer::Failed { error })
    }

    fn dispatch(&mut self, line: &[u8]) -> Result<Answer, String> {
        let Request { workload, params } =
            serde_json::from_slice(line).map_err(|error| format!("bad request: {error}"))?;
        match self.peer {
            Peer::Runtime(runtime) => self.run_actors(runtime, &workload, params),
            Peer::Memory(memory) => run_transactions(memory, &workload, params),
        }
    }

    fn run_actors(
        &mut self,
        runtime: Runtime,
        workload: &str,
        params: Map<String, Value>,
    ) -> Result<Answer, String> {
        match workload {
            "ring" => self.measure(params, runtime.ring),
            "pingpong" => self.measure(params, runtime.pingpong),
            "fjthrput" => self.measure(params, runtime.fjthrput),
            "create" => self.measure(params, runtime.create),
            "chameneos" => self.measure(params, runtime.chameneos),
            "big" => self.measure(params, runtime.big),
            "count" => self.measure(params, runtime.count),
            "forward" => self.measure(params, runtime.forward),
            "list" => self.measure(params, runtime.list),
            "bank" => self.measure(params, runtime.bank),
            "front" => self.measure(params, runtime.front),
            "idle_actor_bytes" => self.weigh_idle_actors(runtime, params),
            other => Err(not_known(runtime.name, "an actor runtime", other)),
        }
    }

    fn measure<P: Hosted>(
        &mut self,
        params: Map<String, Value>,
        run: Run<P, Sample>,
    ) -> Result<Answer, String> {
        let params = read_params::<P>(params)?;
        memory::restart_peak();
        self.perform(&params, run).and_then(Answer::measured)
    }

    fn weigh_idle_actors(
        &mut self,
        runtime: Runtime,
        params: Map<String, Value>,
    ) -> Result<Answer, String> {
        let params = read_params(params)?;
        let growth_bytes = self.perform(&params, runtime.idle_growth_bytes)?;
        let actors = params.actors as u64;
        Ok(Answer::Idle { ops: actors, bytes_per_actor: growth_bytes / actors })
    }

    /// Runs one sample and waits until all it spawned has ended.
    fn perform<P: Hosted, R>(&mut self, params: &P, run: Run<P, R>) -> Result<R, String> {
        let host = self.take_host(params.workers())?;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let result = run(&host, params)?;
            host.wait_until_quiet()?;
            Ok(result)
        }))
        .unwrap_or_else(|payload| Err(panic_text(payload.as_ref())));
        match outcome {
            Ok(result) => {
                self.host = Some(host);
                Ok(result)
            }
            Err(error) => {
                host.abandon();
                Err(error)
            }
        }
    }

    /// The host of the last request if it has as many workers as are asked for, else a new one.
    fn take_host(&mut self, workers: usize) -> Result<Host, String> {
        match self.host.take() {
            Some(host) if host.workers() == workers => Ok(host),
            _ => Host::start(workers),
        }
    }
}

fn run_transactions(
    peer: Memory,
    workload: &str,
    params: Map<String, Value>,
) -> Result<Answer, String> {
    if workload != "stm" {
        return Err(not_known(peer.name, "a transactional memory", workload));
    }
    let params = read_params(params)?;
    memory::restart_peak();
    let sample = catch_unwind(|| (peer.stm)(&params));
    sample.unwrap_or_else(|payload| Err(panic_text(payload.as_ref()))).and_then(Answer::measured)
}

fn not_known(peer: &str, kind: &str, workload: &str) -> String {
    format!("unknown workload: {workload}; {peer} is {kind}")
}

fn read_params<P: Parameters>(params: Map<String, Value>) -> Result<P, String> {
    let params: P = serde_json::from_value(Value::Object(params))
        .map_err(|error| format!("bad params: {error}"))?;
    params.check().map_err(|error| format!("bad params: {error}"))?;
    Ok(params)
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("panic in the driving thread: {text}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::params::{Count, Ring, Stm};
    use crate::tokio_tasks;

    fn die_in_a_task(host: &Host, _: &Ring) -> Result<Sample, String> {
        let (_end, ending) = host.end_signal::<()>();
        host.handle().spawn(std::future::pending::<()>());
        host.handle().spawn(async { panic!("the tenor is hoarse") });
        ending.wait()?;
        unreachable!("no task signals the end")
    }

    fn die_in_a_transaction(_: &Stm) -> Result<Sample, String> {
        std::thread::scope(|scope| {
            scope.spawn(|| panic!("the prompter lost the page"));
        });
        unreachable!("the scope passes the panic on")
    }

    #[test]
    fn a_panic_in_a_transaction_is_answered() {
        let peer = Memory { stm: die_in_a_transaction, ..crate::transactions::STM };
        let mut session = Session::new(Peer::Memory(peer));
        let failed = serde_json::to_value(session.answer(br#"{"workload":"stm"}"#)).unwrap();
        assert!(failed["error"].as_str().unwrap().contains("panic"), "{failed}");
    }

    fn die_in_the_driver(_: &Host, _: &Count) -> Result<Sample, String> {
        panic!("the conductor left")
    }

    #[test]
    fn a_panic_is_answered_and_the_next_sample_runs() {
        let mut session = Session::new(Peer::Runtime(Runtime {
            ring: die_in_a_task,
            count: die_in_the_driver,
            ..tokio_tasks::RUNTIME
        }));
        let mut answer = |workload: &str, params: Value| {
            let request = json!({ "workload": workload, "params": params });
            serde_json::to_value(session.answer(request.to_string().as_bytes())).unwrap()
        };
        for (workload, text) in [("ring", "tenor is hoarse"), ("count", "conductor left")] {
            let failed = answer(workload, json!({}));
            let error = failed["error"].as_str().unwrap();
            assert!(error.contains(text), "{error}");
            let measured = answer("pingpong", json!({ "rounds": 5 }));
            assert_eq!(measured["ops"], 5, "{measured}");
        }
    }
}
