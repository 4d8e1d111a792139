//! Failures of which nobody else is told: a line each on standard error, at a bounded rate.

use std::any::Any;
use std::fmt::{self, Write as _};
use std::time::Duration;

use odeon_sync::Mutex;

use crate::process::cell::Header;
use crate::process::config::FailureHook;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::naming::Naming;
use crate::vocabulary::failure_text::{Escalated, FailureText};

/// TUNE: lines within a second, guessed 2026-11: what a person can still read; an actor that fails
/// with each message fails a million times.
const MOST: u32 = 10;

const SECOND: Duration = Duration::from_secs(1);

/// Characters of a failure's text that are printed.
const LONGEST: usize = 500;

/// See the module.
#[derive(Default)]
pub(super) struct FailureLines(Mutex<Rate>);

/// How many lines there have been lately.
#[derive(Default)]
struct Rate {
    since: Duration,
    printed: u32,
    withheld: u64,
}

/// What may be printed.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    Nothing,
    /// A line; so many were withheld before.
    Line(u64),
    /// A line, and that further ones are withheld.
    LastLine,
}

impl Rate {
    fn next(&mut self, now: Duration) -> Turn {
        if self.printed > 0 && now.saturating_sub(self.since) >= SECOND {
            self.printed = 0;
        }
        if self.printed == 0 {
            self.since = now;
        }
        if self.printed == MOST {
            self.withheld += 1;
            return Turn::Nothing;
        }
        self.printed += 1;
        if self.printed == MOST {
            return Turn::LastLine;
        }
        Turn::Line(std::mem::take(&mut self.withheld))
    }
}

impl FailureLines {
    /// As what a theater calls for each failure of which nobody else is told.
    pub(super) fn into_hook(self) -> FailureHook {
        Box::new(move |theater, actor, panic| self.print(theater, actor, panic))
    }

    /// Prints a failure. May unwind, where standard error is gone.
    fn print(&self, theater: &TheaterShared, actor: &Header, panic: &(dyn Any + Send)) {
        // It has been printed where it began.
        if panic.is::<Escalated>() {
            return;
        }
        let turn = self.0.lock().expect("nothing panics under this lock").next(theater.now());
        if turn == Turn::Nothing {
            return;
        }
        let mut names = String::new();
        Naming::of(theater).for_each_name(|name, id| {
            if id == actor.id {
                let _ = write!(names, " \"{name}\"");
            }
        });
        let line = FailureLine {
            theater: &theater.config.name,
            actor: (actor.vtable.actor_type)(),
            number: &actor.id,
            names: &names,
            text: &FailureText::of(panic),
        };
        // Of the process's own streams this is the one that tests capture.
        let line = match turn {
            Turn::LastLine => format!("{line} (further failures are withheld for a second)\n"),
            Turn::Line(withheld @ 1..) => format!("{line} ({withheld} before it were withheld)\n"),
            _ => format!("{line}\n"),
        };
        // In one piece: what others write must not come in between.
        eprint!("{line}");
    }
}

struct FailureLine<'a> {
    theater: &'a str,
    actor: &'a str,
    number: &'a dyn fmt::Display,
    names: &'a str,
    text: &'a str,
}

impl fmt::Display for FailureLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { theater, actor, number, names, text } = self;
        write!(f, "{theater}: actor {number}{names} ({actor}) failed: ")?;
        // One line, whatever the text is.
        for character in text.chars().take(LONGEST) {
            f.write_char(if character.is_control() { ' ' } else { character })?;
        }
        if text.chars().nth(LONGEST).is_some() { f.write_str("...") } else { Ok(()) }
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_ten_lines_and_the_next_one_says_how_many_more_there_were() {
        let mut rate = Rate::default();
        let mut at = |ms| rate.next(Duration::from_millis(ms));
        for n in 0..9 {
            assert_eq!(at(50 * n), Turn::Line(0));
        }
        assert_eq!(at(500), Turn::LastLine);
        for n in 0..5 {
            assert_eq!(at(501 + n), Turn::Nothing);
        }
        assert_eq!(at(1_000), Turn::Line(5));
        assert_eq!(at(1_001), Turn::Line(0));
    }

    #[test]
    fn a_line_is_one_line_and_not_too_long() {
        let long = format!("not\ncovered{}", "x".repeat(LONGEST));
        let line = |text| {
            let (theater, actor, names) = ("bank", "Account", " \"savings\"");
            FailureLine { theater, actor, number: &3, names, text }.to_string()
        };
        assert_eq!(line("none"), "bank: actor 3 \"savings\" (Account) failed: none");
        let line = line(&long);
        assert!(line.contains(": not covered") && line.ends_with("x...") && line.len() < 600);
    }
}
