//! Redis or Valkey, started for one run.

use super::resp_wire::{BALANCES, TRANSFERS, take_text, write_command};
use super::server_process::{ServerProcess, free_address};
use super::wire::refused;
use crate::load::BALANCE;
use crate::{HotLoad, StopFlag};
use odeon_bench::error::BenchError;
use odeon_example_ledger::Books;
use odeon_example_run::runtime;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;

/// What is there of it: the program, and what it says of itself.
pub(super) struct RedisProgram {
    name: &'static str,
    version: String,
}

/// Nothing: there is none.
pub(super) fn program() -> Option<RedisProgram> {
    ["valkey-server", "redis-server"].into_iter().find_map(|name| {
        let output = Command::new(name).arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let version = said.split(' ').find_map(|word| word.strip_prefix("v="))?;
        Some(RedisProgram { name, version: format!("{name} {version}") })
    })
}

/// See the module.
pub(super) struct RedisServer {
    process: ServerProcess,
    pub(super) address: SocketAddr,
    pub(super) version: String,
}

impl RedisServer {
    pub(super) fn start(
        program: &RedisProgram,
        load: &HotLoad,
        folder: &Path,
        stop: &StopFlag,
    ) -> Result<Self, BenchError> {
        let is_new = !folder.join("appendonlydir").exists();
        let address = free_address()?;
        let mut command = Command::new(program.name);
        command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--dir"]);
        command.arg(folder).args(["--save", "", "--appendonly", "yes"]);
        command.args(["--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]);
        let process = ServerProcess::start(program.name, "KILL", folder, &command, |_| {})?;
        let mut server = Self { process, address, version: program.version.clone() };
        server.process.until_ready(stop, || ask(address, &[b"PING"]).is_ok())?;
        if is_new {
            server.fill(load.accounts)?;
        }
        Ok(server)
    }

    fn fill(&self, accounts: u32) -> Result<(), BenchError> {
        let fill = "for i = 0, ARGV[1] - 1 do redis.call('HSET', KEYS[1], i, ARGV[2]) end return 0";
        let (accounts, balance) = (accounts.to_string(), BALANCE.to_string());
        let keys = [b"1".as_slice(), BALANCES.as_bytes(), accounts.as_bytes(), balance.as_bytes()];
        ask(self.address, &[&[b"EVAL", fill.as_bytes()][..], &keys].concat()).map(drop)
    }

    /// WHY the sum in two parts: a number of a script is a double, which has not all of its digits.
    pub(super) fn books(&self) -> Result<Books, BenchError> {
        let books = "local high, low = 0, 0 \
            for _, v in ipairs(redis.call('HVALS', KEYS[1])) do \
            local l = v % 1048576 low = low + l high = high + (v - l) / 1048576 end \
            return string.format('%.0f %.0f %s', high, low, redis.call('GET', KEYS[2]) or 0)";
        let keys = [b"2".as_slice(), BALANCES.as_bytes(), TRANSFERS.as_bytes()];
        let text = ask(self.address, &[&[b"EVAL", books.as_bytes()][..], &keys].concat())?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let numbers: Result<Vec<u64>, _> = text.split(' ').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([high, low, transfers]) => {
                Ok(Books { sum: (high << 20) + low, transfers: *transfers })
            }
            _ => Err(refused(text)),
        }
    }
}

fn ask(address: SocketAddr, command: &[&[u8]]) -> Result<Vec<u8>, BenchError> {
    let mut request = Vec::new();
    write_command(command, &mut request);
    let mut connection = TcpStream::connect(address).map_err(runtime)?;
    connection.write_all(&request).map_err(runtime)?;
    let (mut received, mut more) = (Vec::new(), [0; 1024]);
    loop {
        match connection.read(&mut more).map_err(runtime)? {
            0 => return Err(refused("nothing")),
            read => received.extend_from_slice(&more[..read]),
        }
        if let Some(text) = take_text(&mut &received[..])? {
            return Ok(text.to_vec());
        }
    }
}
