//! A theater in a process of its own: the program of the test, started once more as a member.
//!
//! Each test that starts members begins with `if member::is_one() { return member::run(); }`, and
//! starts itself.

use super::place::Place;
use super::says::{Speaks, heard_by};
use odeon_theater::LinkConfig;
use odeon_zenoh::{LARGEST_PACKET, ZenohSettings};
use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const CLUSTER: &str = "ODEON_TEST_CLUSTER";
const CONNECT: &str = "ODEON_TEST_CONNECT";
const JOURNALS: &str = "ODEON_TEST_JOURNALS";
/// Its heartbeat, when it suspects, and when it takes for dead, in milliseconds.
const TIMES: &str = "ODEON_TEST_TIMES";
/// Whether members find each other, too.
const MEET: &str = "ODEON_TEST_MEMBERS_MEET";

/// Whether this process is a member of another one's test.
pub fn is_one() -> bool {
    env::var_os(CLUSTER).is_some()
}

/// What each member publishes: actors that write down what they hear.
pub const PUBLISHED: [&str; 4] = ["hears one", "hears other", "says to one", "says to other"];

/// What a member does until its input ends, or it is killed.
pub fn run() {
    run_with(|place, journals| {
        for name in PUBLISHED {
            let speaks = Speaks::with_journal(&journals.join(name));
            place.network.publish(name, &place.theater.spawn(speaks));
        }
    });
}

/// As [`run`], with other actors: `publish` is given the folder of their journals.
pub fn run_with(publish: impl FnOnce(&Place, &Path)) {
    let cluster = env::var(CLUSTER).unwrap();
    let connect = env::var(CONNECT).unwrap();
    let connect = connect.split(',').map(str::to_owned).collect();
    let journals = PathBuf::from(env::var_os(JOURNALS).unwrap());
    let times = env::var(TIMES).unwrap();
    let times: Vec<_> =
        times.split(',').map(|ms| Duration::from_millis(ms.parse().unwrap())).collect();
    let config = LinkConfig {
        heartbeat: times[0],
        suspect_after: times[1],
        dead_after: times[2],
        ..LinkConfig::new(cluster, LARGEST_PACKET)
    };
    let settings = if env::var_os(MEET).is_some() {
        let listen = vec!["tcp/127.0.0.1:0".into()];
        ZenohSettings { connect, listen, ..Default::default() }
    } else {
        // It is to have no other way than it is told.
        let more = vec![("scouting/gossip/enabled".into(), "false".into())];
        ZenohSettings { connect, more, ..Default::default() }
    };
    let place = Place::join(&settings, config).unwrap();
    publish(&place, &journals);
    // An error means that nobody is there any more, as the end does.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    // Without a farewell: whoever needs one kills it before.
    std::process::exit(0);
}

/// See the module. It is killed when this is dropped.
pub struct Member {
    pub child: Child,
    journals: PathBuf,
}

impl Member {
    /// Starts a member that connects to these theaters. `test` is the name of the test that is
    /// running.
    pub fn start(test: &str, config: &LinkConfig, connect: &[&str]) -> Self {
        Self::start_by(Command::new(env::current_exe().unwrap()), test, config, connect)
    }

    /// As [`start`](Self::start); it finds others that are started so.
    pub fn start_to_meet(test: &str, config: &LinkConfig, connect: &[&str]) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.env(MEET, "yes");
        Self::start_by(command, test, config, connect)
    }

    /// As [`start`](Self::start); the command runs this program with the arguments that are added.
    pub fn start_by(
        mut command: Command,
        test: &str,
        config: &LinkConfig,
        connect: &[&str],
    ) -> Self {
        let random = odeon_theater::TheaterId::random();
        let journals = env::temp_dir().join(format!("odeon-member-{random}"));
        std::fs::create_dir_all(&journals).unwrap();
        let times = [config.heartbeat, config.suspect_after, config.dead_after];
        let times = times.map(|time| time.as_millis().to_string());
        command
            .args([test, "--nocapture", "--test-threads=1"])
            .env(CLUSTER, &config.cluster)
            .env(CONNECT, connect.join(","))
            .env(JOURNALS, &journals)
            .env(TIMES, times.join(","))
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        Self { child: command.spawn().expect("the program of the test runs"), journals }
    }

    /// How many numbers an actor there has written down, which are all from 0 on.
    #[track_caller]
    pub fn heard(&self, name: &str) -> u64 {
        heard_by(&self.journals.join(name))
    }

    /// The file of a journal.
    pub fn journal(&self, name: &str) -> PathBuf {
        self.journals.join(name)
    }

    /// Kills it, as `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends it a signal, by its name.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").arg("-c").arg(kill).status().unwrap().success());
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Errors mean that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.journals);
    }
}
