//! `odeon bench`: one subcommand per workload, made from the workload's own table of parameters;
//! `idle`; `phases`; `scale`; `hot`; what papers ran; and `figures`.

#[cfg(feature = "full")]
mod figures;
mod hot;
mod idle;
mod measuring;
mod missing;
mod paper;
mod phases;
mod scale;
mod workload;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use odeon_bench::error::BenchError;
use odeon_bench::workloads;

/// What comes after `odeon bench`.
#[derive(Args)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    what: BenchCommand,
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<(), BenchError> {
    match &arguments.what {
        BenchCommand::Workload(arguments) => workload::run(arguments),
        BenchCommand::Idle(arguments) => idle::run(arguments),
        BenchCommand::Phases(arguments) => phases::run(arguments),
        BenchCommand::Scale(arguments) => scale::run(arguments),
        BenchCommand::Hot(arguments) => hot::run(arguments),
        BenchCommand::Paper(arguments) => paper::run(arguments),
        #[cfg(feature = "full")]
        BenchCommand::Figures(arguments) => figures::run(arguments),
        BenchCommand::Missing(benchmark) => missing::run(benchmark),
    }
}

enum BenchCommand {
    Workload(Box<workload::WorkloadArguments>),
    Idle(idle::IdleArguments),
    Phases(phases::PhasesArguments),
    Scale(Box<scale::ScaleArguments>),
    Hot(Box<hot::HotArguments>),
    Paper(paper::PaperArguments),
    #[cfg(feature = "full")]
    Figures(figures::FiguresArguments),
    /// What this program was built without.
    Missing(&'static str),
}

const IDLE: &str = "idle";
const PHASES: &str = "phases";
const SCALE: &str = "scale";
const HOT: &str = "hot";
#[cfg(feature = "full")]
const FIGURES: &str = "figures";

// WHY by hand: the subcommands of the workloads are made from data, which a derive cannot see.
impl Subcommand for BenchCommand {
    fn augment_subcommands(command: Command) -> Command {
        let idle = Command::new(IDLE).about("what idle actors cost: bytes each, CPU time together");
        let phases = Command::new(PHASES)
            .about("how many messages an adaptive actor needs when its workload changes");
        let scale = Command::new(SCALE)
            .about("how one hot actor scales with the workers: measured, fitted, simulated");
        let hot = Command::new(HOT)
            .about("what durability costs one busy actor: transfers, the disk by itself, recovery");
        let command = command
            .subcommands(workloads::ALL.iter().map(|each| workload::command(each)))
            .subcommand(idle::IdleArguments::augment_args(idle))
            .subcommand(phases::PhasesArguments::augment_args(phases))
            .subcommand(scale::ScaleArguments::augment_args(scale))
            .subcommand(hot::HotArguments::augment_args(hot))
            .subcommands(paper::with_commands().map(paper::command));
        #[cfg(feature = "full")]
        let command = {
            let figures =
                Command::new(FIGURES).about("measure everything that Odeon promises in numbers");
            command.subcommand(figures::FiguresArguments::augment_args(figures))
        };
        command
            .subcommands(missing::commands())
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        [IDLE, PHASES, SCALE, HOT].contains(&name)
            || odeon_bench::paper::find(name).is_some()
            || workloads::find(name).is_some()
            || workloads::with_features().any(|other| other == name)
    }
}

impl FromArgMatches for BenchCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let none = || Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(none)?;
        match name {
            IDLE => Ok(Self::Idle(idle::IdleArguments::from_arg_matches(matches)?)),
            PHASES => Ok(Self::Phases(phases::PhasesArguments::from_arg_matches(matches)?)),
            SCALE => {
                let arguments = scale::ScaleArguments::from_arg_matches(matches)?;
                Ok(Self::Scale(Box::new(arguments)))
            }
            HOT => {
                let arguments = hot::HotArguments::from_arg_matches(matches)?;
                Ok(Self::Hot(Box::new(arguments)))
            }
            #[cfg(feature = "full")]
            FIGURES => Ok(Self::Figures(figures::FiguresArguments::from_arg_matches(matches)?)),
            name => match workloads::find(name) {
                Some(found) => {
                    let arguments = workload::WorkloadArguments::read(found, matches)?;
                    Ok(Self::Workload(Box::new(arguments)))
                }
                None => match odeon_bench::paper::find(name) {
                    Some(found) => Ok(Self::Paper(paper::PaperArguments::read(found, matches))),
                    None => missing::found(name).map(Self::Missing).ok_or_else(none),
                },
            },
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
