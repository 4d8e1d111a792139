//! A RabbitMQ broker of the test's own: with its own name, ports and folder, and beside no other one. It ends with the test, however that ends.

use odeon_rabbitmq::Queue;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Runs the broker until its own input ends, as it does when the test is killed; then kills it and its name server.
const KEEPER: &str = "setsid \"$0\" >\"$1\" 2>&1 </dev/null & read -r _; kill -9 -$!; \
     for trial in 1 2 3 4 5; do sleep 0.2; epmd -kill >/dev/null 2>&1 && break; done";

/// Where distributions keep the script that runs as whoever calls it, and not as a user of its own.
const SCRIPTS: [&str; 3] = [
    "/usr/lib/rabbitmq/bin/rabbitmq-server",
    "/usr/local/sbin/rabbitmq-server",
    "/opt/homebrew/sbin/rabbitmq-server",
];

pub struct TestBroker {
    folder: PathBuf,
    ports: [u16; 3],
    keeper: Mutex<Option<Child>>,
}

static SHARED: Mutex<Weak<TestBroker>> = Mutex::new(Weak::new());
static BROKERS: AtomicU32 = AtomicU32::new(0);

/// The broker that tests of this program have in common as long as one of them runs. `None` where none is installed; that has been said.
pub fn shared(test: &str) -> Option<Arc<TestBroker>> {
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(broker) = shared.upgrade() {
        return Some(broker);
    }
    let broker = Arc::new(TestBroker::start(test)?);
    *shared = Arc::downgrade(&broker);
    Some(broker)
}

impl TestBroker {
    /// One for this test alone. As [`shared`].
    pub fn start(test: &str) -> Option<Self> {
        if script().is_none() {
            super::skipped(test, "rabbitmq-server is not installed");
            return None;
        }
        let number = BROKERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("odeon-rabbitmq-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = listeners.each_ref().map(|listener| listener.local_addr().unwrap().port());
        drop(listeners);
        let broker = Self { folder, ports, keeper: Mutex::new(None) };
        broker.begin();
        Some(broker)
    }

    /// Starts it, for the first time or once more with what it had on its disk.
    #[track_caller]
    pub fn begin(&self) {
        let [port, between, names] = self.ports.map(|port| port.to_string());
        let at = |name: &str| self.folder.join(name);
        let said = at("said");
        let keeper = Command::new("sh")
            .args(["-c", KEEPER])
            .args([script().expect("it is installed"), &said])
            .env("HOME", &self.folder)
            .env("RABBITMQ_NODENAME", format!("odeon{port}@localhost"))
            .env("RABBITMQ_NODE_PORT", &port)
            .env("RABBITMQ_DIST_PORT", between)
            .env("ERL_EPMD_PORT", names)
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1")
            .env("RABBITMQ_MNESIA_BASE", at("mnesia"))
            .env("RABBITMQ_LOG_BASE", at("log"))
            .env("RABBITMQ_PID_FILE", at("pid"))
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", at("plugins"))
            .env("RABBITMQ_CONFIG_FILE", at("none"))
            .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+S 1:1 +sbwt none")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        *self.keeper.lock().unwrap() = Some(keeper);
        super::until(&format!("the broker starts, see {}", said.display()), || {
            TcpStream::connect(("127.0.0.1", self.ports[0])).is_ok()
        });
    }

    /// Kills it, as `kill -9` does. What it has on its disk stays.
    pub fn kill(&self) {
        let keeper = self.keeper.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(mut keeper) = keeper {
            drop(keeper.stdin.take());
            keeper.wait().unwrap();
        }
    }

    pub fn place(&self) -> String {
        format!("127.0.0.1:{}", self.ports[0])
    }

    /// A queue of it.
    pub fn queue(&self, name: &str) -> Queue {
        Queue::new(format!("amqp://guest:guest@{}/%2f", self.place()), name)
    }
}

impl Drop for TestBroker {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn script() -> Option<&'static Path> {
    SCRIPTS.map(Path::new).into_iter().find(|script| script.exists())
}
