//! Redis or Valkey, started for one run.

use super::resp_wire::{BALANCES, take_text, write_command};
use super::wire::refused;
use crate::HotLoad;
use crate::load::BALANCE;
use odeon_bench::error::BenchError;
use odeon_example_run::runtime;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: one is ready after some 0.1 s.
const UNTIL_READY: Duration = Duration::from_secs(30);

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
    process: Child,
    pub(super) address: SocketAddr,
    pub(super) version: String,
}

impl RedisServer {
    pub(super) fn start(
        program: &RedisProgram,
        load: &HotLoad,
        folder: &Path,
    ) -> Result<Self, BenchError> {
        let address = free_address()?;
        let mut command = Command::new(program.name);
        command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string(), "--dir"]);
        command.arg(folder).args(["--save", "", "--appendonly", "yes"]);
        command.args(["--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.map_err(runtime)?;
        let server = Self { process, address, version: program.version.clone() };
        let begun = Instant::now();
        while server.ask(&[b"PING"]).is_err() {
            if begun.elapsed() > UNTIL_READY {
                return Err(BenchError::Unfinished { limit: UNTIL_READY });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let fill = "for i = 0, ARGV[1] - 1 do redis.call('HSET', KEYS[1], i, ARGV[2]) end return 0";
        let (accounts, balance) = (load.accounts.to_string(), BALANCE.to_string());
        let keys = [b"1", BALANCES.as_bytes(), accounts.as_bytes(), balance.as_bytes()];
        server.ask(&[&[b"EVAL", fill.as_bytes()][..], &keys].concat())?;
        Ok(server)
    }

    fn ask(&self, command: &[&[u8]]) -> Result<Vec<u8>, BenchError> {
        let mut request = Vec::new();
        write_command(command, &mut request);
        let mut connection = TcpStream::connect(self.address).map_err(runtime)?;
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

    /// WHY in two parts: a number of a script is a double, which has not all of the sum's digits.
    pub(super) fn sum(&self) -> Result<u64, BenchError> {
        let sum = "local high, low = 0, 0 \
            for _, v in ipairs(redis.call('HVALS', KEYS[1])) do \
            local l = v % 1048576 low = low + l high = high + (v - l) / 1048576 end \
            return string.format('%.0f %.0f', high, low)";
        let text = self.ask(&[b"EVAL", sum.as_bytes(), b"1", BALANCES.as_bytes()])?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let parts = text
            .split_once(' ')
            .and_then(|(high, low)| Some((high.parse::<u64>().ok()?, low.parse::<u64>().ok()?)));
        let (high, low) = parts.ok_or_else(|| refused(&text))?;
        Ok((high << 20) + low)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One that nobody had a moment ago.
pub(super) fn free_address() -> Result<SocketAddr, BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(runtime)?;
    listener.local_addr().map_err(runtime)
}
