//! Where the logs of durable actors are.

use super::transaction_log::TransactionLog;
use odeon_log::{DirectoryStorage, LogError, LogId, LogOptions, Storage};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the storage of a log by its name.
type Opens = dyn Fn(&str) -> io::Result<Arc<dyn Storage>> + Send + Sync;

/// A place for the logs of durable actors, each under a name.
///
/// What several of its actors commit together (S28) is first in one more log of the store, which
/// one process at a time writes, by one `Store` and its clones: until these, and all of its actors,
/// are gone.
///
/// ```
/// use odeon_core::{Message, Theater};
/// use odeon_durable::{SpawnDurable, Store};
/// use odeon_macros::Durable;
/// use odeon_speculative::*;
/// use odeon_stm::{TVar, Tx};
///
/// #[derive(Durable)]
/// # #[durable(crate = odeon_durable)]
/// struct Purse(#[durable(1)] TVar<i64>);
///
/// struct Add(i64);
/// impl Message for Add {}
///
/// impl SpeculativeActor for Purse {
///     type Msg = Add;
///     fn handle<'t>(
///         &'t self,
///         Add(amount): &'t Add,
///         tx: &mut Tx<'t>,
///         _: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         self.0.update(tx, |balance| balance + amount)?;
///         Ok(())
///     }
/// }
///
/// # let folder = std::env::temp_dir().join(format!("odeon-store-{}", std::process::id()));
/// let (theater, store) = (Theater::new()?, Store::open(&folder)?);
/// let purse = |name| {
///     theater.spawn_durable(&store, name, Purse(TVar::new(10)), Processing::default())
/// };
/// let (east, west) = (purse("east")?, purse("west")?);
/// let transfer = theater.coordinate(|plan| {
///     plan.send(&east, Add(-3));
///     plan.send(&west, Add(3));
/// });
/// transfer.wait()?; // both, on the disk
/// # theater.shutdown(std::time::Duration::from_secs(10));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Store {
    opens: Arc<Opens>,
    transactions_at: TransactionsAt,
    transactions: Arc<TransactionLog>,
    options: LogOptions,
    snapshot_after: u64,
}

/// Where the log of transactions is.
#[derive(Clone)]
enum TransactionsAt {
    /// In this folder, which is made with the first one.
    Folder(PathBuf),
    Storage(Arc<dyn Storage>),
    Nowhere,
}

/// The folder of the log of transactions: no actor's log has such a name.
const TRANSACTIONS: &str = ".transactions";

/// Bytes of a log behind its snapshot beyond which there is another one.
/// TUNE: guessed; what is read in a second.
const SNAPSHOT_AFTER: u64 = 64 * 1024 * 1024;

impl Store {
    /// Logs in a folder, which is made if it is not there: each is a folder in it, of its name.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, LogError> {
        let folder: PathBuf = folder.as_ref().into();
        std::fs::create_dir_all(&folder)
            .map_err(|error| refused("create the folder", folder.display().to_string(), error))?;
        let transactions_at = TransactionsAt::Folder(folder.join(TRANSACTIONS));
        let store =
            Self::on(move |name| Ok(Arc::new(DirectoryStorage::create(folder.join(name))?)));
        Ok(Self { transactions_at, ..store })
    }

    /// Logs in storages that `opens` gives by their names: for tests on a simulated disk.
    pub fn on(
        opens: impl Fn(&str) -> io::Result<Arc<dyn Storage>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            opens: Arc::new(opens),
            transactions_at: TransactionsAt::Nowhere,
            transactions: Arc::default(),
            options: LogOptions::default(),
            snapshot_after: SNAPSHOT_AFTER,
        }
    }

    /// Where the log of what several actors commit together is, for stores that are not folders;
    /// without it such a transaction fails.
    pub fn transactions_on(self, storage: Arc<dyn Storage>) -> Self {
        Self { transactions_at: TransactionsAt::Storage(storage), ..self }
    }

    /// How the logs are written. 64 MiB a segment without it.
    pub fn log_options(self, options: LogOptions) -> Self {
        Self { options, ..self }
    }

    /// When there is another snapshot of a state: if its log has so many bytes behind the last one,
    /// and more than that had. 64 MiB without it. The more, the longer an actor takes to come back.
    pub fn snapshot_after(self, bytes: u64) -> Self {
        Self { snapshot_after: bytes, ..self }
    }

    pub(super) fn options(&self) -> LogOptions {
        self.options.clone()
    }

    pub(super) fn bytes_until_snapshot(&self) -> u64 {
        self.snapshot_after
    }

    pub(super) fn transactions(&self) -> &TransactionLog {
        &self.transactions
    }

    /// Where the log of transactions is; `None`: nowhere yet, and it does not `begin`.
    pub(super) fn transactions_storage(
        &self,
        begins: bool,
    ) -> Result<Option<Arc<dyn Storage>>, LogError> {
        match &self.transactions_at {
            TransactionsAt::Storage(storage) => Ok(Some(storage.clone())),
            TransactionsAt::Folder(folder) => {
                let refused = |error| refused("open", folder.display().to_string(), error);
                if !begins && !folder.try_exists().map_err(refused)? {
                    return Ok(None);
                }
                let storage = DirectoryStorage::create(folder).map_err(refused)?;
                Ok(Some(Arc::new(storage)))
            }
            TransactionsAt::Nowhere if begins => {
                let error = io::Error::new(io::ErrorKind::Unsupported, NOWHERE);
                Err(refused("begin the log of transactions", String::new(), error))
            }
            TransactionsAt::Nowhere => Ok(None),
        }
    }

    /// As those of actors' logs; the id is its own.
    pub(super) fn transactions_options(&self) -> LogOptions {
        self.options().new_id(LogId::random())
    }

    /// The storage of the log with this name.
    pub(super) fn storage(&self, name: &str) -> Result<Arc<dyn Storage>, LogError> {
        let is_plain = !name.is_empty() && !name.starts_with('.');
        if !is_plain || name.contains(['/', '\\', '\0']) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it is no name of a folder");
            return Err(refused("open the log", name.into(), error));
        }
        (self.opens)(name).map_err(|error| refused("open the log", name.into(), error))
    }
}

/// Why a store has no log of transactions.
const NOWHERE: &str = "its place is unknown: `Store::transactions_on` says it";

/// What the system has refused.
pub(super) fn refused(doing: &'static str, file: String, error: io::Error) -> LogError {
    LogError::Storage { doing, file, source: Arc::new(error) }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
