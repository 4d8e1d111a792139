//! A network of its own for a test: it runs once more in a network namespace, its member in another
//! one, and a cable leads from one to the other.
//!
//! Nothing of it is seen outside, and it goes with the processes.

use std::env;
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};

use super::until;

const INSIDE: &str = "ODEON_TEST_NAMESPACE";
/// The ends of the cable: the test's, and the member's.
const ENDS: [(&str, &str); 2] = [("odeon0", "10.77.0.1"), ("odeon1", "10.77.0.2")];

/// Where the test itself listens.
pub const ENDPOINT: &str = "tcp/10.77.0.1:7447";

/// Whether this process has a network of its own.
pub fn is_inside() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Runs the test that is running once more, in a network of its own.
///
/// # Errors
/// Why this machine does not allow it.
#[track_caller]
pub fn run_inside(test: &str) -> Result<(), String> {
    let [(here, _), (there, _)] = ENDS;
    let cable = format!("ip link add {here} type veth peer name {there}");
    let programs = ["nsenter", "tc"].map(|program| format!("command -v {program}"));
    run(Command::new("unshare").args([
        "--net",
        "sh",
        "-ec",
        &[cable, programs.join(";")].join(";"),
    ]))?;
    let program = env::current_exe().unwrap();
    let mut again = Command::new("unshare");
    again.arg("--net").arg(program).args([test, "--nocapture", "--test-threads=1"]);
    // What it skips it says on the standard error.
    let output = again.env(INSIDE, "1").stderr(Stdio::inherit()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "it fails in a network of its own: {said}");
    Ok(())
}

/// Runs a member's program in a network of its own, once the cable has been laid to it.
pub fn member() -> Command {
    let mut command = Command::new("unshare");
    let waits = "read line; exec \"$0\" \"$@\"";
    command.args(["--net", "sh", "-c", waits]).arg(env::current_exe().unwrap());
    command
}

/// From the test's namespace to the member's.
pub struct Cable;

/// What is wrong with a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Packets are delayed, lost, and overtaken.
    Netem,
    /// Packets are lost, and wait for others: of systems that have no `netem`.
    LossAndQueue,
}

impl Cable {
    /// Lays it to a member that waits for it.
    #[track_caller]
    pub fn lay(member: &mut Child) -> Self {
        let process = member.id();
        let of = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).ok();
        until("the member has a namespace", || {
            of(&process.to_string()).is_some_and(|its| Some(its) != of("self"))
        });
        let [(here, at), (there, at_there)] = ENDS;
        let bring_up = |end: &str, at: &str| {
            format!("ip link set lo up; ip addr add {at}/24 dev {end}; ip link set {end} up")
        };
        shell(&format!("ip link add {here} type veth peer name {there} netns {process}"));
        shell(&bring_up(here, at));
        let other_end = bring_up(there, at_there);
        shell(&format!("nsenter --net=/proc/{process}/ns/net sh -ec '{other_end}'"));
        let input = member.stdin.as_mut().expect("it was asked for");
        input.write_all(b"go\n").unwrap();
        Self
    }

    /// Cuts it, or mends it.
    pub fn cut(&self, is_cut: bool) {
        shell(&format!("ip link set {} {}", ENDS[0].0, if is_cut { "down" } else { "up" }));
    }

    /// From now on packets do not fare well in either direction.
    pub fn trouble(&self) -> Trouble {
        let end = ENDS[0].0;
        let netem = "netem delay 5ms 3ms loss 3% reorder 5%";
        // What comes is delayed as well: a half of what goes is answers.
        if run(Command::new("sh").args(["-ec", &format!("tc qdisc add dev {end} root {netem}")]))
            .is_ok()
        {
            return Trouble::Netem;
        }
        // A program of the packet filter's: load a random number, and drop the packet if that is
        // below 3 % of 2^32.
        let drops = "4,32 0 0 4294963256,53 1 0 128849019,6 0 0 2,6 0 0 0";
        shell(&format!("tc qdisc add dev {end} clsact"));
        for direction in ["ingress", "egress"] {
            shell(&format!("tc filter add dev {end} {direction} bpf da bytecode '{drops}'"));
        }
        shell(&format!("tc qdisc add dev {end} root tbf rate 50mbit burst 32kb latency 20ms"));
        Trouble::LossAndQueue
    }

    /// How many packets have been dropped at this end.
    #[track_caller]
    pub fn dropped(&self) -> u64 {
        let said = shell(&format!("tc -s qdisc show dev {}", ENDS[0].0));
        let numbers =
            said.split("(dropped ").skip(1).map(|rest| rest.split(',').next().unwrap_or_default());
        numbers.map(|number| number.parse::<u64>().unwrap()).sum()
    }
}

#[track_caller]
fn shell(commands: &str) -> String {
    run(Command::new("sh").args(["-ec", commands]))
        .unwrap_or_else(|error| panic!("{commands}: {error}"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(said(&output.stdout));
    }
    Err(format!("{command:?} fails: {}", said(&output.stderr)))
}
