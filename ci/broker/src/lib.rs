//! A RabbitMQ broker that a test or a measurement starts for itself.
//!
//! `script.rs` finds the program of the broker.

#![forbid(unsafe_code)]

mod script;

use std::fs;
use std::io::{Error, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs the broker until its own input says something or ends, as it does with the program; then
/// kills it and its name server. What is on its disk stays only if the input has said so. It runs
/// in a session of its own: what is sent to all programs of a terminal or a group does not end it
/// before.
const KEEPER: &str = "setsid \"$0\" >\"$1/said\" 2>&1 </dev/null & read -r what; kill -9 -$!; \
     for trial in 1 2 3 4 5; do sleep 0.2; epmd -kill >/dev/null 2>&1 && break; done; \
     [ \"$what\" = keep ] || rm -rf \"$1\"";

/// Longer than a broker takes to start on a slow machine.
pub const UNTIL_READY: Duration = Duration::from_secs(120);

/// A RabbitMQ broker of this program's own, on this machine: with a name, ports and a folder that
/// no other one has. Only this machine reaches it, as `guest`. It ends when this is dropped or the
/// program ends, however that comes, and leaves nothing.
#[derive(Debug)]
pub struct OwnBroker {
    folder: PathBuf,
    /// Of the broker, of brokers among each other, of its name server.
    ports: [u16; 3],
    keeper: Mutex<Option<Child>>,
}

impl OwnBroker {
    /// Whether the program of the broker is found: where `$ODEON_RABBITMQ_SERVER` says; else in
    /// `$RABBITMQ_HOME/sbin`, where distributions install it, or in the path.
    pub fn is_installed() -> bool {
        script::find().is_ok()
    }

    /// Starts one, and waits until it lets clients in: some seconds.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if none is installed, with where it was looked for; others if it
    /// does not start.
    pub fn start() -> Result<Self, Error> {
        static BROKERS: AtomicU32 = AtomicU32::new(0);
        script::find().map_err(not_found)?;
        // ORDERING: Relaxed, as only the numbers have to differ.
        let number = BROKERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("odeon-rabbitmq-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(|error| refused(&folder.display(), &error))?;
        let ports = free_ports().map_err(|error| refused(&"three ports", &error))?;
        let broker = Self { folder, ports, keeper: Mutex::new(None) };
        broker.begin()?;
        Ok(broker)
    }

    /// Starts it once more after [`kill`](Self::kill), with what it had on its disk.
    ///
    /// # Errors
    /// As of [`start`](Self::start).
    pub fn begin(&self) -> Result<(), Error> {
        let script = script::find().map_err(not_found)?;
        let [port, between, names] = self.ports.map(|port| port.to_string());
        let at = |name: &str| self.folder.join(name);
        let mut keeper = Command::new("setsid")
            .args(["sh", "-c", KEEPER])
            .args([&script, &self.folder])
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
            .map_err(|error| refused(&"setsid", &error))?;
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.ports[0])).is_err() {
            if begun.elapsed() > UNTIL_READY {
                let said = fs::read_to_string(at("said")).unwrap_or_default();
                end(&mut keeper, "");
                return Err(refused(&"rabbitmq-server", &said.trim()));
            }
            sleep(Duration::from_millis(10));
        }
        *self.keeper() = Some(keeper);
        Ok(())
    }

    /// Kills it, as `kill -9` does. What it has on its disk stays until this is dropped.
    pub fn kill(&self) {
        if let Some(mut keeper) = self.keeper().take() {
            end(&mut keeper, "keep\n");
        }
    }

    /// Its host and port.
    pub fn place(&self) -> String {
        format!("127.0.0.1:{}", self.ports[0])
    }

    /// Where clients find it.
    pub fn uri(&self) -> String {
        format!("amqp://guest:guest@{}/%2f", self.place())
    }

    fn keeper(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OwnBroker {
    fn drop(&mut self) {
        match self.keeper().take() {
            Some(mut keeper) => end(&mut keeper, ""),
            None => _ = fs::remove_dir_all(&self.folder),
        }
    }
}

/// Has the keeper end the broker. Errors mean that it has ended.
fn end(keeper: &mut Child, last: &str) {
    if let Some(mut input) = keeper.stdin.take() {
        let _ = input.write_all(last.as_bytes());
    }
    let _ = keeper.wait();
}

/// Ports that nobody uses at this moment. All are held until the last is found: they differ.
fn free_ports() -> std::io::Result<[u16; 3]> {
    let bind = || TcpListener::bind("127.0.0.1:0");
    let held = [bind()?, bind()?, bind()?];
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(&held) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

fn not_found(why: String) -> Error {
    Error::new(ErrorKind::NotFound, why)
}

fn refused(what: &dyn std::fmt::Display, why: &dyn std::fmt::Display) -> Error {
    Error::other(format!("no broker of one's own: {what}: {why}"))
}
