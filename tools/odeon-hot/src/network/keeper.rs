//! Who keeps the ledger behind the network, each with the best durable setting that is known.

use super::generator::{Generated, generate};
use super::packet_wire::PacketWire;
use super::postgres::{self, PostgresServer};
use super::postgres_wire::PostgresWire;
use super::redis::{self, RedisServer};
use super::resp_wire::RespWire;
use super::serving::{Served, ServedLedger};
use crate::{HotLoad, StopFlag};
use odeon_bench::error::BenchError;
use odeon_example_ledger::Books;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// One of those who can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeeperKind {
    /// A durable actor behind `examples/ledger-server`.
    Odeon,
    /// The same actor without a log.
    Volatile,
    /// SQLite, behind the same packets.
    Sqlite,
    /// Redis or Valkey, whichever there is.
    Redis,
    /// Postgres.
    Postgres,
}

impl KeeperKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Odeon, Self::Volatile, Self::Sqlite, Self::Redis, Self::Postgres];

    /// Whether it is one of Odeon's.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Odeon | Self::Volatile)
    }

    /// Whether it has what it has answered when it is killed and started again.
    pub fn is_durable(self) -> bool {
        self != Self::Volatile
    }

    /// How it is set up.
    pub fn settings(self) -> &'static str {
        match self {
            Self::Odeon => "as shipped",
            Self::Volatile => "no log",
            Self::Sqlite => {
                "WAL, synchronous=FULL, a checkpoint each 20000 pages; one thread makes all that waits one transaction, and \
                 answers when that is committed"
            }
            Self::Redis => {
                "appendonly, appendfsync always, no rewrite meanwhile; one Lua script a transfer"
            }
            Self::Postgres => {
                "fsync, synchronous_commit=on, 1 GiB of shared buffers, no checkpoint meanwhile; one \
                 prepared call of a function, and one transaction, a transfer, pipelined; 4 \
                 connections with as much under way where some accounts are drawn often"
            }
        }
    }
}

impl fmt::Display for KeeperKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Odeon => "odeon",
            Self::Volatile => "volatile",
            Self::Sqlite => "sqlite",
            Self::Redis => "redis",
            Self::Postgres => "postgres",
        })
    }
}

/// Connections of Postgres where some accounts are drawn often.
/// TUNE: measured 2026-11 with Zipf 1.5: 4 do about 4,400 transfers a second, 16 do 2,000 to 3,100,
/// 64 do 1,100: they wait in turn for rows that are locked until a commit is on the disk.
const FEW_CONNECTIONS: usize = 4;

/// Zipf's exponent from which on they do.
const SKEWED: f64 = 1.0;

/// One that runs. When this is dropped it is killed, without time to write anything.
pub(super) enum RunningKeeper {
    Served(Served),
    Redis(RedisServer),
    Postgres(PostgresServer),
}

impl RunningKeeper {
    /// Starts one with the ledger of a folder, which is a new one if that is empty. Nothing: it is
    /// not on this machine.
    pub(super) fn start(
        kind: KeeperKind,
        load: &HotLoad,
        folder: &Path,
        stop: &StopFlag,
    ) -> Result<Option<Self>, BenchError> {
        match kind {
            KeeperKind::Odeon | KeeperKind::Volatile | KeeperKind::Sqlite => {
                let ledger =
                    ServedLedger { kind, accounts: load.accounts, folder: folder.to_owned() };
                Served::start(&ledger).map(Self::Served).map(Some)
            }
            KeeperKind::Redis => redis::program()
                .map(|of| RedisServer::start(&of, load, folder, stop))
                .transpose()
                .map(|started| started.map(Self::Redis)),
            KeeperKind::Postgres => postgres::programs()
                .map(|of| PostgresServer::start(of, load, folder, stop))
                .transpose()
                .map(|started| started.map(Self::Postgres)),
        }
    }

    /// What it says that it is.
    pub(super) fn version(&self) -> &str {
        match self {
            Self::Served(served) => &served.version,
            Self::Redis(server) => &server.version,
            Self::Postgres(server) => &server.version,
        }
    }

    /// Has a load done.
    pub(super) fn bear(
        &self,
        load: &HotLoad,
        lasting: Duration,
        stop: &StopFlag,
    ) -> Result<Generated, BenchError> {
        match self {
            Self::Served(served) => generate::<PacketWire>(served.address, load, lasting, stop),
            Self::Redis(server) => generate::<RespWire>(server.address, load, lasting, stop),
            Self::Postgres(server) => {
                let load = &postgres_load(load);
                generate::<PostgresWire>(server.address, load, lasting, stop)
            }
        }
    }

    /// What all accounts have.
    pub(super) fn books(&self) -> Result<Books, BenchError> {
        match self {
            Self::Served(served) => served.books(),
            Self::Redis(server) => server.books(),
            Self::Postgres(server) => server.books(),
        }
    }
}

/// By the number of connections that is best for it.
fn postgres_load(load: &HotLoad) -> HotLoad {
    if load.zipf < SKEWED || load.clients <= FEW_CONNECTIONS {
        return *load;
    }
    let window = load.under_way() / FEW_CONNECTIONS;
    HotLoad { clients: FEW_CONNECTIONS, window, ..*load }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_has_as_much_under_way_by_fewer_connections() {
        let load = HotLoad::default();
        assert_eq!(postgres_load(&load), load);
        let skewed = HotLoad { zipf: 1.5, ..load };
        assert_eq!(postgres_load(&skewed), HotLoad { clients: 4, window: 2048, ..skewed });
        let few = skewed.with_few_under_way(4);
        assert_eq!(postgres_load(&few), few);
    }
}
