//! Reminders fire once, in whichever life of their actor.

use crate::actors::{PATIENCE, processings, store, theater};
use odeon_core::{AskError, Message, Reply, Theater};
use odeon_durable::{DurableRef, ReminderDue, Reminders, SpawnDurable};
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TQueue, Tx};
use odeon_testkit::disk::SimulatedDisk;
use std::thread;
use std::time::{Duration, Instant};

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Notes {
    #[durable(1)]
    reminders: Reminders<u32, String>,
    #[durable(2)]
    fired: TQueue<String>,
    #[durable(skip)]
    does_not_resume: bool,
}

/// Under which key, when, of what.
type ToArm = (u32, Duration, &'static str);

enum ToNotes {
    /// By one commit.
    Arm(Vec<ToArm>, Reply<()>),
    Cancel(u32, Reply<Option<String>>),
    Due(ReminderDue<u32>),
    /// What has fired, and how many are armed.
    Look(Reply<(Vec<String>, usize)>),
}

impl Message for ToNotes {}

impl From<ReminderDue<u32>> for ToNotes {
    fn from(due: ReminderDue<u32>) -> Self {
        Self::Due(due)
    }
}

impl SpeculativeActor for Notes {
    type Msg = ToNotes;

    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        if self.does_not_resume { Ok(()) } else { self.reminders.resume(tx, ctx) }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToNotes,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToNotes::Arm(all, done) => {
                for (key, after, text) in all {
                    self.reminders.arm_after(tx, ctx, *key, *after, String::from(*text))?;
                }
                ctx.reply(done, ());
            }
            ToNotes::Cancel(key, done) => {
                let cancelled = self.reminders.cancel(tx, key)?.cloned();
                ctx.reply(done, cancelled);
            }
            ToNotes::Due(due) => {
                if let Some(text) = self.reminders.due(tx, due)? {
                    self.fired.push(tx, format!("{} {text}", due.key()))?;
                }
            }
            ToNotes::Look(reply) => {
                let fired = self.fired.fold(tx, Vec::new(), |mut fired, text| {
                    fired.push(text.clone());
                    fired
                })?;
                ctx.reply(reply, (fired, self.reminders.len(tx)?));
            }
        }
        Ok(())
    }
}

fn notes(theater: &Theater, disk: &SimulatedDisk, processing: &Processing) -> DurableRef<ToNotes> {
    let spawned =
        theater.spawn_durable(&store(disk.clone()), "notes", Notes::default(), processing.clone());
    spawned.expect("nobody else has the log")
}

fn arm(notes: &DurableRef<ToNotes>, all: impl Into<Vec<ToArm>>) {
    let all = all.into();
    notes.ask(|done| ToNotes::Arm(all, done)).wait().unwrap();
}

/// What has fired, sorted, once so many are armed and no more.
fn fired_until(notes: &DurableRef<ToNotes>, armed: usize) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let (mut fired, there) = notes.ask(ToNotes::Look).wait().unwrap();
        if there == armed {
            fired.sort_unstable();
            return fired;
        }
        assert!(begun.elapsed() < PATIENCE, "{there} are armed");
        thread::sleep(Duration::from_millis(1));
    }
}

const SOON: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_secs(3_600);

#[test]
fn s47_a_reminder_fires_once_and_not_early() {
    for processing in processings() {
        let (disk, theater) = (SimulatedDisk::new(1), theater());
        let notes = notes(&theater, &disk, &processing);
        let begun = Instant::now();
        for (key, text) in [(1, "tea"), (2, "bread"), (3, "cake")] {
            arm(&notes, [(key, SOON * key, text)]);
        }
        assert_eq!(fired_until(&notes, 0), ["1 tea", "2 bread", "3 cake"]);
        assert!(begun.elapsed() >= 3 * SOON);
    }
}

#[test]
fn s47_what_is_replaced_or_cancelled_does_not_fire() {
    for processing in processings() {
        let (disk, theater) = (SimulatedDisk::new(1), theater());
        let notes = notes(&theater, &disk, &processing);
        arm(&notes, [(2, LATER, "cancelled"), (3, LATER, "replaced")]);
        let cancelled = notes.ask(|done| ToNotes::Cancel(2, done)).wait().unwrap();
        assert_eq!(cancelled.as_deref(), Some("cancelled"));
        // However slow the machine is, the first one is not due before it is replaced.
        let all = [(1, SOON, "replaced"), (1, LATER, "later"), (3, 3 * SOON, "soon")];
        arm(&notes, all);
        assert_eq!(fired_until(&notes, 1), ["3 soon"]);
    }
}

#[test]
fn s47_reminders_of_earlier_lives_fire_in_their_time_or_at_once() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        let lives: [(usize, &[&str]); 3] =
            [(3, &[]), (1, &["1 missed", "2 soon"]), (1, &["1 missed", "2 soon"])];
        for (life, (armed, fired)) in lives.into_iter().enumerate() {
            let theater = theater();
            let notes = notes(&theater, &disk, &processing);
            if life == 0 {
                let soon = Duration::from_millis(200);
                arm(&notes, [(1, SOON, "missed"), (2, soon, "soon"), (3, LATER, "later")]);
                notes.stop();
                notes.ended().wait();
                thread::sleep(2 * SOON);
            } else {
                assert_eq!(fired_until(&notes, armed), fired, "{processing:?}");
            }
            let _ = theater.shutdown(PATIENCE);
        }
    }
}

#[test]
fn s47_to_arm_a_reminder_that_no_later_life_would_know_of_fails() {
    let (disk, theater) = (SimulatedDisk::new(1), theater());
    let state = Notes { does_not_resume: true, ..Notes::default() };
    let processing = processings()[1].clone();
    let notes = theater.spawn_durable(&store(disk), "notes", state, processing).unwrap();
    let armed = notes.ask(|done| ToNotes::Arm(vec![(1, SOON, "tea")], done)).wait();
    let Err(AskError::Failed(text)) = armed else { panic!("{armed:?}") };
    assert!(text.contains("`Reminders::resume`"), "{text}");
}
