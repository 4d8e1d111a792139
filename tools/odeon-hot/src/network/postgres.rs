//! Postgres, started for one run.

use super::postgres_wire::{NAME, SCHEMA};
use super::redis::free_address;
use crate::HotLoad;
use crate::load::BALANCE;
use odeon_bench::error::BenchError;
use odeon_example_run::runtime;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: a new cluster is ready after a second.
const UNTIL_READY: Duration = Duration::from_secs(60);

/// Connections beside those of the load.
const MORE_CONNECTIONS: usize = 10;

/// What is there of it: a folder of programs, what they say of themselves, and who may run them if
/// it is not who runs this.
pub(super) struct PostgresPrograms {
    folder: PathBuf,
    version: String,
    user: Option<u32>,
}

/// Nothing: there are none.
pub(super) fn programs() -> Option<PostgresPrograms> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    let mut folders = std::env::split_paths(&on_path).chain(debian.into_iter().rev());
    let folder = folders.find(|folder| folder.join("postgres").is_file())?;
    let version = said_by(Command::new(folder.join("postgres")).arg("--version"))?;
    let id = |arguments: &[&str]| said_by(Command::new("id").args(arguments))?.parse::<u32>().ok();
    // It refuses to run as root.
    let user = if id(&["-u"])? == 0 { Some(id(&["-u", NAME])?) } else { None };
    Some(PostgresPrograms { folder, version, user })
}

/// What a program writes, if it ends well.
fn said_by(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl PostgresPrograms {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }
}

/// See the module.
pub(super) struct PostgresServer {
    process: Child,
    programs: PostgresPrograms,
    data: PathBuf,
    pub(super) address: SocketAddr,
    pub(super) version: String,
}

impl PostgresServer {
    pub(super) fn start(
        programs: PostgresPrograms,
        load: &HotLoad,
        folder: &Path,
    ) -> Result<Self, BenchError> {
        std::os::unix::fs::chown(folder, programs.user, None).map_err(runtime)?;
        let data = folder.join("data");
        let mut command = programs.command("initdb");
        command.args(["--auth=trust", "--no-sync", "--username", NAME, "--pgdata"]).arg(&data);
        said_by(command.current_dir(folder)).ok_or_else(|| runtime("initdb has failed"))?;
        let address = free_address()?;
        let mut command = programs.command("postgres");
        command.arg("-D").arg(&data).current_dir(folder);
        for setting in [
            "listen_addresses=127.0.0.1".to_owned(),
            "unix_socket_directories=".to_owned(),
            format!("port={}", address.port()),
            format!("max_connections={}", load.clients + MORE_CONNECTIONS),
            "fsync=on".to_owned(),
            "synchronous_commit=on".to_owned(),
            "wal_sync_method=fdatasync".to_owned(),
            "shared_buffers=1GB".to_owned(),
            "wal_buffers=64MB".to_owned(),
            "max_wal_size=16GB".to_owned(),
            "checkpoint_timeout=1h".to_owned(),
        ] {
            command.args(["-c", &setting]);
        }
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let (process, version) = (process.map_err(runtime)?, programs.version.clone());
        let server = Self { process, programs, data, address, version };
        let begun = Instant::now();
        while server.query("SELECT 1").is_err() {
            if begun.elapsed() > UNTIL_READY {
                return Err(BenchError::Unfinished { limit: UNTIL_READY });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let last = load.accounts - 1;
        server.query(&format!(
            "{SCHEMA} INSERT INTO accounts SELECT n, {BALANCE}, NULL FROM generate_series(0, {last}) \
             AS n"
        ))?;
        server.query("VACUUM ANALYZE accounts")?;
        server.query("CHECKPOINT")?;
        Ok(server)
    }

    fn query(&self, sql: &str) -> Result<String, BenchError> {
        let mut command = Command::new(self.programs.folder.join("psql"));
        command.args(["-h", "127.0.0.1", "-p", &self.address.port().to_string(), "-U", NAME]);
        command.args(["-d", NAME, "-v", "ON_ERROR_STOP=1", "-qAtc", sql]);
        said_by(&mut command).ok_or_else(|| runtime("psql has failed"))
    }

    pub(super) fn sum(&self) -> Result<u64, BenchError> {
        self.query("SELECT sum(balance) FROM accounts")?.parse().map_err(runtime)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let mut command = self.programs.command("pg_ctl");
        command.args(["stop", "-m", "immediate", "-w", "-D"]).arg(&self.data).current_dir("/");
        if said_by(&mut command).is_none() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}
