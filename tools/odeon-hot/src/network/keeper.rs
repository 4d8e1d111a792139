//! Who keeps the ledger behind the network, each with the best durable setting that is known.

use super::generator::{Generated, generate};
use super::packet_wire::PacketWire;
use super::postgres::{self, PostgresServer};
use super::postgres_wire::PostgresWire;
use super::redis::{self, RedisServer};
use super::resp_wire::RespWire;
use super::serving::{Served, ServedLedger};
use crate::HotLoad;
use odeon_bench::error::BenchError;
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

    /// How it is set up.
    pub fn settings(self) -> &'static str {
        match self {
            Self::Odeon => "as shipped",
            Self::Volatile => "no log",
            Self::Sqlite => {
                "WAL, synchronous=FULL; one thread makes all that waits one transaction, and \
                 answers when that is committed"
            }
            Self::Redis => {
                "appendonly, appendfsync always, no rewrite meanwhile; one Lua script a transfer"
            }
            Self::Postgres => {
                "fsync, synchronous_commit=on, 1 GiB of shared buffers, no checkpoint meanwhile; one \
                 prepared call of a function, and one transaction, a transfer"
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

/// One that runs. It ends when this is dropped.
pub(super) enum RunningKeeper {
    Served(Served),
    Redis(RedisServer),
    Postgres(PostgresServer),
}

impl RunningKeeper {
    /// Starts one with a new ledger in an empty folder. Nothing: it is not on this machine.
    pub(super) fn start(
        kind: KeeperKind,
        load: &HotLoad,
        folder: &Path,
    ) -> Result<Option<Self>, BenchError> {
        match kind {
            KeeperKind::Odeon | KeeperKind::Volatile | KeeperKind::Sqlite => {
                let ledger =
                    ServedLedger { kind, accounts: load.accounts, folder: folder.to_owned() };
                Served::start(&ledger).map(Self::Served).map(Some)
            }
            KeeperKind::Redis => redis::program()
                .map(|of| RedisServer::start(&of, load, folder))
                .transpose()
                .map(|started| started.map(Self::Redis)),
            KeeperKind::Postgres => postgres::programs()
                .map(|of| PostgresServer::start(of, load, folder))
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
    pub(super) fn bear(&self, load: &HotLoad, lasting: Duration) -> Result<Generated, BenchError> {
        match self {
            Self::Served(served) => generate::<PacketWire>(served.address, load, lasting),
            Self::Redis(server) => generate::<RespWire>(server.address, load, lasting),
            Self::Postgres(server) => generate::<PostgresWire>(server.address, load, lasting),
        }
    }

    /// The sum of all balances.
    pub(super) fn sum(&self) -> Result<u64, BenchError> {
        match self {
            Self::Served(served) => served.sum(),
            Self::Redis(server) => server.sum(),
            Self::Postgres(server) => server.sum(),
        }
    }
}
