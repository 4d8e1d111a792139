//! Programs: what handlers do, made from a seed.

use std::time::Duration;

use odeon_core::Random;

use crate::world::Mode;

/// How deep programs for others lie in each other at most.
const DEPTH: usize = 4;

/// More than there are actors: a deed's `to` is taken modulo their number.
const ANYBODY: usize = 16;

/// What one handler does, in this order.
pub(crate) type Program = Vec<Deed>;

#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Send {
        to: usize,
        mailbox: usize,
        program: Program,
    },
    TrySend {
        to: usize,
        mailbox: usize,
        program: Program,
    },
    /// Awaited by an asynchronous handler, in a pipe otherwise.
    SendAsync {
        to: usize,
        mailbox: usize,
        program: Program,
    },
    /// The answer comes as a message.
    Ask {
        to: usize,
        program: Program,
    },
    /// The handler waits for the answer, if it may. Only of actors with higher numbers: who waits
    /// in a circle waits for ever (S13).
    AwaitAnswer {
        to: usize,
        program: Program,
    },
    PipeQuestion {
        to: usize,
        within: Option<Duration>,
        then: Program,
    },
    Pipe {
        yields: u32,
        then: Program,
    },
    PipeFailure {
        yields: u32,
    },
    /// Of a future that completes after so many polls, or never.
    PipeWithin {
        yields: Option<u32>,
        limit: Duration,
        then: Program,
    },
    PipeAndKeep {
        yields: u32,
        then: Program,
    },
    CancelKept,
    SendSelf(Program),
    SendAfter(Duration, Program),
    Publish(Program),
    SendToPool(Program),
    /// A stream of so many items.
    Attach {
        items: u32,
    },
    Spawn(Program),
    Yield(u32),
    Panic,
    StopSelf,
    Stop {
        whom: usize,
    },
    Guard {
        open: bool,
    },
    WaitForEver,
}

/// A program from outside, with all that lies in it.
pub(crate) fn program(random: &mut Random, mode: Mode) -> Program {
    deeds(random, mode, DEPTH)
}

fn deeds(random: &mut Random, mode: Mode, depth: usize) -> Program {
    let count = if depth == 0 { 0 } else { random.below(5) };
    (0..count).map(|_| deed(random, mode, depth - 1)).collect()
}

fn deed(random: &mut Random, mode: Mode, depth: usize) -> Deed {
    let to = random.below(ANYBODY);
    // Mailbox 1 more often, whose bounds are tighter.
    let mailbox = random.below(4).min(1);
    let inner = |random: &mut Random| deeds(random, mode, depth);
    let millis = |random: &mut Random, below| Duration::from_millis(random.below(below) as u64);
    match random.below(27) {
        0..4 => Deed::Send { to, mailbox, program: inner(random) },
        4 => Deed::TrySend { to, mailbox, program: inner(random) },
        5..7 => Deed::SendAsync { to, mailbox, program: inner(random) },
        7 => Deed::Ask { to, program: inner(random) },
        8..10 => Deed::AwaitAnswer { to, program: inner(random) },
        10 => {
            let within = (random.below(2) == 0).then(|| millis(random, 5));
            Deed::PipeQuestion { to, within, then: inner(random) }
        }
        11..13 => Deed::Pipe { yields: random.below(4) as u32, then: inner(random) },
        13 if mode >= Mode::Fragile => Deed::PipeFailure { yields: random.below(4) as u32 },
        14 => {
            let yields = (random.below(2) == 0).then(|| random.below(5) as u32);
            Deed::PipeWithin { yields, limit: millis(random, 4), then: inner(random) }
        }
        15 => Deed::PipeAndKeep { yields: random.below(5) as u32, then: inner(random) },
        16 => Deed::CancelKept,
        17 => Deed::SendSelf(inner(random)),
        18 => Deed::SendAfter(millis(random, 5), inner(random)),
        // One message for each member: what lies in them is small.
        19 => Deed::Publish(deeds(random, mode, depth.min(1))),
        20 => Deed::SendToPool(inner(random)),
        21 => Deed::Attach { items: random.below(30) as u32 },
        22 => Deed::Spawn(inner(random)),
        23 if mode >= Mode::Fragile => Deed::Panic,
        24 if mode == Mode::Wild => match random.below(8) {
            0 => Deed::StopSelf,
            1 => Deed::Stop { whom: to },
            2 => Deed::WaitForEver,
            _ => Deed::Guard { open: random.below(3) > 0 },
        },
        _ => Deed::Yield(random.below(4) as u32),
    }
}
