//! `pingpong`: two actors send each other an empty message in turn.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the module.
pub(super) static PING_PONG: Workload = Workload {
    summary: "two actors send each other an empty message; --stage pinned: on two pinned stages",
    operation: "round trip",
    floor_is: "two threads spin on two atomics, each on its own cache lines: the bare handoff",
    parameters: &[Parameter::number("rounds", "round trips", 1, 1_000_000_000, 300_000), WORKERS],
    variants: &[Variant::Pool, Variant::Pinned],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("pingpong", run, floor)
};

fn run(variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let rounds = params.number("rounds");
    let (finish, waiting) = finish_line(1);
    let pinger = Player { partner: None, left: rounds, finish: Some(finish) };
    let ponger = Player { partner: None, left: 0, finish: None };
    let (pinger, ponger) = match variant {
        Variant::Pinned => {
            let (left, right) = (pinned_stage(&theater, "ping")?, pinned_stage(&theater, "pong")?);
            (theater.actor().on(&left).spawn(pinger), theater.actor().on(&right).spawn(ponger))
        }
        Variant::Pool | Variant::Async | Variant::Stm => {
            (theater.spawn(pinger), theater.spawn(ponger))
        }
    };
    pinger.post(PingPongCall::Meet(ponger.clone()));
    ponger.post(PingPongCall::Meet(pinger.clone()));
    waiting
        .time(rounds, || {
            pinger.post(PingPongCall::Serve);
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let rounds = params.number("rounds");
    let (ping, pong) = (OwnLine::default(), OwnLine::default());
    let elapsed = std::thread::scope(|scope| {
        let ready = scope.spawn(|| {
            for round in 1..=rounds + 1 {
                ping.wait_for(round);
                pong.0.store(round, Ordering::Release);
            }
        });
        // WHY: one round before the clock starts, so that both threads exist.
        ping.0.store(1, Ordering::Release);
        pong.wait_for(1);
        let (measured, ()) = Measured::time(rounds, || {
            for round in 2..=rounds + 1 {
                ping.0.store(round, Ordering::Release);
                pong.wait_for(round);
            }
        });
        ready.join().map(|()| measured)
    });
    elapsed.map_err(|_| BenchError::WrongResult("the floor's thread panicked".to_owned()))
}

#[derive(Message)]
enum PingPongCall {
    Meet(ActorRef<PingPongCall>),
    /// The driving thread asks for the first ping.
    Serve,
    Ball,
}

/// The pinger counts rounds and has a finish; the ponger only answers.
struct Player {
    partner: Option<ActorRef<PingPongCall>>,
    left: u64,
    finish: Option<Finish>,
}

impl Actor for Player {
    type Msg = PingPongCall;

    fn handle(&mut self, call: PingPongCall, _ctx: &mut Context<'_, Self>) {
        match call {
            PingPongCall::Meet(partner) => {
                self.partner = Some(partner);
                return;
            }
            PingPongCall::Serve => {}
            PingPongCall::Ball => {
                if let Some(finish) = &self.finish {
                    self.left -= 1;
                    if self.left == 0 {
                        finish.arrive();
                        return;
                    }
                }
            }
        }
        if let Some(partner) = &self.partner {
            partner.post(PingPongCall::Ball);
        }
    }
}

/// Two lines, because x86 fetches lines in pairs.
#[derive(Default)]
#[repr(align(128))]
struct OwnLine(AtomicU64);

impl OwnLine {
    fn wait_for(&self, round: u64) {
        // TUNE: spins, guessed 2026-11: far longer than a handoff, and a machine with one core
        // still ends.
        const SPINS_BEFORE_YIELD: u32 = 100_000;
        let mut spins = 0;
        // ORDERING: Acquire with the other thread's Release, as a real handoff of data would need.
        while self.0.load(Ordering::Acquire) != round {
            spins += 1;
            if spins % SPINS_BEFORE_YIELD == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}
