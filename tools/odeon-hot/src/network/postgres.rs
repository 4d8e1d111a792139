//! Postgres, started for one run.

use super::postgres_wire::{NAME, SCHEMA};
use super::server_process::{ServerProcess, free_address, said_by};
use super::wire::refused;
use crate::load::BALANCE;
use crate::{HotLoad, StopFlag};
use odeon_bench::error::BenchError;
use odeon_example_ledger::Books;
use odeon_example_run::runtime;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Connections beside those of the load.
const MORE_CONNECTIONS: usize = 10;

/// What is there of it: a folder of programs, what they say of themselves, and who may run them if
/// it is not who runs this.
pub(super) struct PostgresPrograms {
    folder: PathBuf,
    version: String,
    user: Option<UserAndGroup>,
}

/// By their numbers.
type UserAndGroup = (u32, u32);

/// Nothing: there are none.
pub(super) fn programs() -> Option<PostgresPrograms> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path()).collect();
    debian.sort_by_key(|version| {
        let number = version.file_name().and_then(|name| name.to_str()?.parse::<f32>().ok());
        // The newest one first; numbers of versions have no more digits than these.
        std::cmp::Reverse(number.map(|number| (number * 100.0) as u32))
    });
    let debian = debian.into_iter().map(|version| version.join("bin"));
    let has_all = |folder: &PathBuf| {
        ["postgres", "initdb", "psql"].iter().all(|program| folder.join(program).is_file())
    };
    let folder = std::env::split_paths(&on_path).chain(debian).find(has_all)?;
    let version = said_by(Command::new(folder.join("postgres")).arg("--version")).ok()?;
    let id =
        |arguments: &[&str]| said_by(Command::new("id").args(arguments)).ok()?.parse::<u32>().ok();
    // It refuses to run as root.
    let user =
        if id(&["-u"])? == 0 { Some((id(&["-u", NAME])?, id(&["-g", NAME])?)) } else { None };
    Some(PostgresPrograms { folder, version, user })
}

impl PostgresPrograms {
    fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join(program))
    }

    /// Has a command run by who may.
    fn give(&self, command: &mut Command) {
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
    }
}

/// See the module.
pub(super) struct PostgresServer {
    process: ServerProcess,
    programs: PostgresPrograms,
    pub(super) address: SocketAddr,
    pub(super) version: String,
}

impl PostgresServer {
    pub(super) fn start(
        programs: PostgresPrograms,
        load: &HotLoad,
        folder: &Path,
        stop: &StopFlag,
    ) -> Result<Self, BenchError> {
        let data = folder.join("data");
        let is_new = !data.exists();
        if is_new {
            if let Some((user, group)) = programs.user {
                std::os::unix::fs::chown(folder, Some(user), Some(group)).map_err(runtime)?;
            }
            let mut command = programs.command("initdb");
            command.args(["--auth=trust", "--no-locale", "--encoding=UTF8", "--username", NAME]);
            command.arg("--pgdata").arg(&data).current_dir(folder);
            programs.give(&mut command);
            said_by(&mut command)?;
        }
        let address = free_address()?;
        let mut command = programs.command("postgres");
        command.arg("-D").arg(&data);
        for setting in settings(address, load) {
            command.args(["-c", &setting]);
        }
        // At once: it has no time for a checkpoint.
        let give = |command: &mut Command| programs.give(command);
        let process = ServerProcess::start(NAME, "QUIT", folder, &command, give)?;
        let version = programs.version.clone();
        let mut server = Self { process, programs, address, version };
        let is_ready = || query(&server.programs, address, "SELECT 1").is_ok();
        server.process.until_ready(stop, is_ready)?;
        if is_new {
            server.fill(load.accounts)?;
        }
        Ok(server)
    }

    fn fill(&self, accounts: u32) -> Result<(), BenchError> {
        let last = accounts - 1;
        let fill = format!(
            "{SCHEMA} INSERT INTO accounts SELECT n, {BALANCE}, 0, NULL \
             FROM generate_series(0, {last}) AS n"
        );
        self.query(&fill)?;
        self.query("VACUUM ANALYZE accounts")?;
        self.query("CHECKPOINT").map(drop)
    }

    fn query(&self, sql: &str) -> Result<String, BenchError> {
        query(&self.programs, self.address, sql)
    }

    pub(super) fn books(&self) -> Result<Books, BenchError> {
        let text = self.query("SELECT sum(balance), sum(given) FROM accounts")?;
        let numbers = text.split_once('|').and_then(|(sum, transfers)| {
            Some(Books { sum: sum.parse().ok()?, transfers: transfers.parse().ok()? })
        });
        numbers.ok_or_else(|| refused(text))
    }
}

/// Each as durable as it gets; of these, what is known to be fast.
fn settings(address: SocketAddr, load: &HotLoad) -> [String; 11] {
    [
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
    ]
}

fn query(
    programs: &PostgresPrograms,
    address: SocketAddr,
    sql: &str,
) -> Result<String, BenchError> {
    let mut command = programs.command("psql");
    command.args(["-h", "127.0.0.1", "-p", &address.port().to_string(), "-U", NAME]);
    command.args(["-d", NAME, "-v", "ON_ERROR_STOP=1", "-qAtXc", sql]);
    said_by(&mut command)
}
