//! `odeon energy`: what this machine tells of its energy, and who chooses its frequencies.
//!
//! | question | file |
//! |---|---|
//! | which counters are there, and what do they say? | `energy/counters.rs` |
//! | who chooses frequencies? | `energy/frequencies.rs` |

mod counters;
mod frequencies;

use crate::output::Terminal;
use clap::Args;
use odeon_energy::{CPUS, GovernorError, Governors, POWERCAP};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct EnergyArguments {
    /// Have this governor choose the frequency of all cores, and leave it so.
    #[arg(long, value_name = "NAME")]
    governor: Option<String>,
    /// For how long idle power is measured; 0: not at all.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = clap::value_parser!(u64).range(0..=3_600))]
    idle: u64,
    /// Where the counters of processors are.
    #[arg(long, value_name = "FOLDER", default_value = POWERCAP)]
    powercap: PathBuf,
    /// Where the governors of cores are.
    #[arg(long, value_name = "FOLDER", default_value = CPUS)]
    cpus: PathBuf,
}

/// Why a command has not done what it should.
#[derive(Debug)]
pub(crate) enum EnergyError {
    Governor(GovernorError),
    Output(String),
}

impl EnergyError {
    /// A name that no core knows is an argument; what is not permitted is not.
    pub(crate) fn is_bad_argument(&self) -> bool {
        matches!(self, Self::Governor(GovernorError::NotAvailable { .. }))
    }
}

impl fmt::Display for EnergyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Governor(why) => write!(f, "--governor: {why}"),
            Self::Output(why) => f.write_str(why),
        }
    }
}

pub(crate) fn run(arguments: &EnergyArguments) -> Result<(), EnergyError> {
    let mut terminal = Terminal::default();
    let governors = Governors::at(&arguments.cpus);
    if let Some(governor) = &arguments.governor {
        governors.set(governor).map_err(EnergyError::Governor)?.keep();
    } else {
        let idle = Duration::from_secs(arguments.idle);
        counters::show(&arguments.powercap, idle, &mut terminal);
    }
    frequencies::show(&governors, &mut terminal);
    terminal.finish().map_err(|error| EnergyError::Output(error.to_string()))
}
