//! A theater that runs until it is told to end, and is drained then.

use clap::Args;
use odeon_core::Theater;
use odeon_theater::{ControlActor, Drained, Kept};
use std::io::Write;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::counters::Counters;
use super::error::TheaterError;
use super::reach::Reach;
use super::refusals;

#[derive(Args)]
pub(crate) struct RunArguments {
    /// What the theater is called.
    #[arg(long, default_value = "theater", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: String,
    #[command(flatten)]
    reach: Reach,
    /// Threads of its pool: as many as there are cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,
    /// For how long actors move to other theaters, at most, when it is told to end: by Ctrl-C or
    /// SIGTERM.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    drain_within: u64,
}

pub(super) fn run(arguments: &RunArguments) -> Result<(), TheaterError> {
    arguments.reach.check("other theaters")?;
    let (tell, told) = channel();
    // Before anybody can see it: whoever does may tell it to end.
    ctrlc::set_handler(move || _ = tell.send(())).map_err(TheaterError::failed)?;
    let mut builder = Theater::builder().name(&arguments.name);
    if let Some(workers) = arguments.workers {
        builder = builder.workers(workers.into());
    }
    let mut member = arguments.reach.join(builder.build().map_err(TheaterError::failed)?)?;
    let counters = Counters::serve(&member.network, &member.theater);
    let control = ControlActor::serve(&member.network);
    say(&format!("ready {} {}", arguments.name, member.network.id()));
    if let Some(complaints) = member.complaints.take() {
        complaints.say();
    }
    refusals::tell(&member.network, &member.theater);
    // An error means that nobody can tell it any more.
    let _ = told.recv();
    let within = Duration::from_secs(arguments.drain_within);
    let draining = member.network.drain(within);
    std::thread::spawn(move || {
        // Whoever tells it twice does not want to wait.
        let _ = told.recv();
        std::process::exit(1);
    });
    if let Ok(drained) = draining.wait() {
        say(&format!("moved {}", drained.moved.len()));
        complain(&drained);
    }
    drop((control, counters));
    if !member.leave() {
        eprintln!("not all theaters have heard that this one leaves");
    }
    Ok(())
}

/// Of those that end with the theater.
fn complain(drained: &Drained) {
    for (actor, why) in &drained.kept {
        // Somebody has to be the last one.
        if *why != Kept::NoTheater {
            eprintln!("{actor} ends here: {why}");
        }
    }
    for (actor, to) in &drained.lost {
        eprintln!("{actor} is lost with {to}");
    }
    if drained.led_by > 0 {
        eprintln!("{} ways of other theaters still led by this one", drained.led_by);
    }
    if drained.expecting > 0 {
        eprintln!("{} actors that have moved still expected something of it", drained.expecting);
    }
    if drained.passing > 0 {
        eprintln!("{} answers to others were still to come by it", drained.passing);
    }
}

/// A line for whoever reads the output; if nobody does, the theater runs on.
pub(super) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
