//! Why a governor cannot be read or set.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a governor cannot be read or set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GovernorError {
    /// This program may not.
    NotPermitted {
        /// The file that it may not read or write.
        file: PathBuf,
    },
    /// The driver of a core has no such governor.
    NotAvailable {
        /// The core.
        cpu: usize,
        /// What was asked for.
        governor: String,
        /// What there is.
        available: Vec<String>,
    },
    /// No core's frequency is chosen by this system: it is a virtual machine, say, whose host
    /// chooses.
    NoFrequencyScaling {
        /// Where was looked.
        root: PathBuf,
    },
    /// Something else.
    Failed {
        /// The file concerned.
        file: PathBuf,
        /// What the system says.
        why: String,
    },
}

impl GovernorError {
    pub(super) fn of(file: &Path, error: &io::Error) -> Self {
        let file = file.to_owned();
        match error.kind() {
            // A container shows the files of its host, to be read only.
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotPermitted { file }
            }
            _ => Self::Failed { file, why: error.to_string() },
        }
    }
}

impl fmt::Display for GovernorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPermitted { file } => {
                let file = file.display();
                write!(
                    f,
                    "{file} may not be used by this user: run as root, outside of a container"
                )
            }
            Self::NotAvailable { cpu, governor, available } => {
                let available = available.join(", ");
                write!(f, "core {cpu} has no governor {governor}; it has {available}")
            }
            Self::NoFrequencyScaling { root } => {
                let root = root.display();
                write!(
                    f,
                    "no core under {root} has a governor: this system does not choose frequencies (in a virtual machine, the host does)"
                )
            }
            Self::Failed { file, why } => write!(f, "{}: {why}", file.display()),
        }
    }
}

impl Error for GovernorError {}
