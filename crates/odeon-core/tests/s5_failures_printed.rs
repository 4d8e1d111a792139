//! S5: failures of which nobody else is told are printed, a line each, and not too many.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const PATIENCE: Duration = Duration::from_secs(30);

/// Says to the process of its own which case it is for.
const CASE: &str = "ODEON_TEST_OF_PRINTED_FAILURES";

#[derive(Default)]
struct Account {
    is_to_fail: bool,
}

enum Do {
    Fail(Reply<()>),
    FailToEnd,
}
impl Message for Do {}

impl Actor for Account {
    type Msg = Do;
    fn handle(&mut self, what: Do, ctx: &mut Context<'_, Self>) {
        match what {
            Do::Fail(_reply) => silent_panic("not\ncovered"),
            Do::FailToEnd => {
                self.is_to_fail = true;
                ctx.stop();
            }
        }
    }

    fn stopped(&mut self) {
        if self.is_to_fail {
            silent_panic("at the end");
        }
    }
}

struct FailsToStart;

impl Actor for FailsToStart {
    type Msg = Box<Reply<()>>;
    fn started(&mut self, _: &mut Context<'_, Self>) {
        silent_panic("no start");
    }
    fn handle(&mut self, _: Self::Msg, _: &mut Context<'_, Self>) {}
}

struct Watches;
impl Observer for Watches {}

fn fail(actor: &ActorRef<Do>, times: u32) {
    for _ in 0..times {
        let _ = actor.ask(Do::Fail).wait_timeout(PATIENCE);
    }
}

fn again() -> Supervision {
    Supervision::new().restarts(10_000, PATIENCE).pauses(Duration::ZERO, Duration::ZERO)
}

#[test]
#[ignore = "run by the other test, in a process of its own"]
fn in_a_process_of_its_own() {
    let Ok(case) = std::env::var(CASE) else { return };
    let builder = Theater::builder().name("bank").workers(1);
    let theater = match &*case {
        "off" => builder.failures_printed(false).build(),
        "observed" => builder.observer(Arc::new(Watches)).build(),
        _ => builder.build(),
    }
    .unwrap();
    match &*case {
        "start" => drop(theater.spawn(FailsToStart).ask(Box::new).wait()),
        "restarts" => fail(&theater.actor().supervised(again()).spawn(Account::default), 3),
        "many" => fail(&theater.actor().supervised(again()).spawn(Account::default), 1_000),
        "decided" => {
            let decided = again().decide(|_| Directive::Restart);
            fail(&theater.actor().supervised(decided).spawn(Account::default), 3);
        }
        "end" => {
            let account = theater.spawn(Account::default());
            account.send(Do::FailToEnd).unwrap();
            account.ended().wait();
        }
        _ => {
            let account = theater.spawn(Account::default());
            theater.register("savings", &account).unwrap();
            fail(&account, 1);
        }
    }
}

/// The lines of a case.
fn lines(case: &str) -> Vec<String> {
    let module = module_path!().split_once("::").expect("it is a module of the tests").1;
    let own = Command::new(std::env::current_exe().unwrap())
        .args([&format!("{module}::in_a_process_of_its_own"), "--exact", "--ignored"])
        .arg("--nocapture")
        .env(CASE, case)
        .output()
        .unwrap();
    assert!(own.status.success(), "{case}: {own:?}");
    let printed = String::from_utf8(own.stderr).unwrap();
    printed.lines().filter(|line| line.starts_with("bank: ")).map(str::to_owned).collect()
}

#[test]
fn s5_failures_of_which_nobody_is_told_are_printed() {
    let one = lines("plain");
    assert_eq!(one.len(), 1, "{one:?}");
    assert!(one[0].starts_with("bank: actor ") && one[0].contains("\"savings\""), "{one:?}");
    assert!(one[0].contains("::Account)") && one[0].ends_with("failed: not covered"), "{one:?}");

    assert!(lines("start")[0].ends_with("FailsToStart) failed: no start"));
    assert!(lines("end")[0].ends_with("failed: at the end"));
    assert_eq!(lines("restarts").len(), 3, "a restart tells nobody");
    for told in ["off", "observed", "decided"] {
        assert_eq!(lines(told), [""; 0], "{told}");
    }
    // Some more if it takes longer than a second.
    let many = lines("many");
    assert!(many[9].contains("withheld") && many.len() < 200, "{}", many.len());
}
