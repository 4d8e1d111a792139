//! The numbers of one speculative actor, for people.

use crate::report::conflicts::Conflict;
use crate::report::decisions::Decision;
use odeon_stm::Cause;
use std::fmt;

/// What a speculative actor has done so far: how much of it was in vain, because of which variables
/// and in which messages, and how wide the actor was meanwhile.
///
/// Shown, it is a report:
///
/// ```text
/// width 2, 71 commits, 3 failures, 12 rollbacks
/// width by throughput
/// lanes 2 at most, 9 messages waited for one of their own sender
///    failures  message
///           3  Withdraw
///   rollbacks  variable  message  cause
///          11  total     Deposit  read overwritten
///           1  -         Rename   write locked
/// width over time
///       0.000 s  1
///       0.012 s  2       24000 commits/s, 0 rollbacks before
/// ```
///
/// A variable has a name if it is [`Labelled`](odeon_stm::Labelled); a message is called as
/// [`message_name`](odeon_core::Message::message_name) says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SpeculationStats {
    /// How many messages may be in attempts at once.
    pub width: usize,
    /// What the width is decided by at present; `None` if it is fixed, or its policy does not say.
    pub width_goes_by: Option<&'static str>,
    /// Lanes, which are senders to one mailbox each (S25), that have a message under way at this
    /// moment. What the actor handles at once is never more.
    pub lanes_in_use: usize,
    /// The most of them at once so far, in so far as the actor was ready for several.
    pub lanes_at_most: usize,
    /// Messages that had to wait for an earlier one of their own lane.
    pub lane_waits: u64,
    /// Messages that have committed.
    pub commits: u64,
    /// Messages that were given up, by a panic or an error.
    pub failures: u64,
    /// The same by message, as [`message_name`](odeon_core::Message::message_name) calls it, most
    /// failures first; at most 64 rows. What has failed by its own destructor is called by its
    /// type.
    pub failures_by_message: Vec<(&'static str, u64)>,
    /// Attempts that were rolled back by conflicts and waits, by cause; causes that never happened
    /// are missing.
    pub rollbacks: Vec<(Cause, u64)>,
    /// The same by variable, message and cause, most rollbacks first; at most 64 rows.
    pub conflicts: Vec<Conflict>,
    /// Rollbacks that are in none of these rows, because there were as many already.
    pub conflicts_left_out: u64,
    /// The last decisions on the width, 256 at most, the oldest first.
    pub decisions: Vec<Decision>,
}

impl SpeculationStats {
    /// Attempts that were rolled back, for whatever cause.
    pub fn rolled_back(&self) -> u64 {
        self.rollbacks.iter().map(|(_, count)| count).sum()
    }

    /// Whether lanes are what keeps the actor from handling more at once: messages have waited for
    /// others of their own sender while there were fewer senders than the width allows, or than it
    /// takes to be wider. Tasks of an asynchronous runtime that the theater does not know are one
    /// sender for each thread (`odeon_core::TheaterBuilder::foreign_tasks`);
    /// [`Ordering::Unordered`](crate::Ordering::Unordered) has no lanes.
    pub fn is_narrowed_by_lanes(&self) -> bool {
        // A policy that has found nothing in being wider may have found that.
        let wanted = if self.width_goes_by.is_some() { self.width.max(2) } else { self.width };
        self.lane_waits > 0 && self.lanes_at_most < wanted
    }

    /// Rollbacks by variable, most first; those at variables without a label are missing.
    pub fn by_variable(&self) -> Vec<(&'static str, u64)> {
        let mut variables: Vec<(&'static str, u64)> = Vec::new();
        for conflict in &self.conflicts {
            let Some(name) = conflict.variable else { continue };
            match variables.iter_mut().find(|(known, _)| *known == name) {
                Some((_, rollbacks)) => *rollbacks += conflict.rollbacks,
                None => variables.push((name, conflict.rollbacks)),
            }
        }
        variables.sort_by_key(|(_, rollbacks)| std::cmp::Reverse(*rollbacks));
        variables
    }
}

/// Decisions that a report shows: the last that changed something.
const SHOWN: usize = 16;

impl fmt::Display for SpeculationStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, commits, failures, .. } = self;
        let rollbacks = self.rolled_back();
        write!(f, "width {width}, {commits} commits, {failures} failures, {rollbacks} rollbacks")?;
        if let Some(by) = self.width_goes_by {
            write!(f, "\nwidth by {by}")?;
        }
        if self.lanes_at_most > 0 {
            let (lanes, waits) = (self.lanes_at_most, self.lane_waits);
            write!(
                f,
                "\nlanes {lanes} at most, {waits} messages waited for one of their own sender"
            )?;
        }
        if self.is_narrowed_by_lanes() {
            write!(f, ": lanes keep it narrow")?;
        }
        self.show_failures(f)?;
        self.show_conflicts(f)?;
        self.show_widths(f)
    }
}

impl SpeculationStats {
    fn show_failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.failures_by_message.is_empty() {
            return Ok(());
        }
        write!(f, "\n   failures  message")?;
        for (message, failures) in &self.failures_by_message {
            write!(f, "\n{failures:>11}  {message}")?;
        }
        Ok(())
    }

    fn show_conflicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.conflicts.is_empty() {
            return Ok(());
        }
        let variable = |conflict: &Conflict| conflict.variable.unwrap_or("-");
        let widest = |title: &str, of: &dyn Fn(&Conflict) -> &'static str| {
            let rows = self.conflicts.iter().map(|conflict| of(conflict).chars().count());
            rows.chain([title.len()]).max().unwrap_or(0)
        };
        let (variables, messages) =
            (widest("variable", &variable), widest("message", &|conflict| conflict.message));
        let title = ("rollbacks", "variable", "message", "cause");
        let rows = self.conflicts.iter().map(|conflict| {
            let Conflict { message, cause, rollbacks, .. } = conflict;
            (rollbacks.to_string(), variable(conflict), *message, cause.name())
        });
        let title = (title.0.to_owned(), title.1, title.2, title.3);
        for (rollbacks, variable, message, cause) in std::iter::once(title).chain(rows) {
            write!(f, "\n{rollbacks:>11}  {variable:variables$}  {message:messages$}  {cause}")?;
        }
        match self.conflicts_left_out {
            0 => Ok(()),
            others => write!(f, "\n{others:>11}  others"),
        }
    }

    fn show_widths(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes: Vec<&Decision> =
            self.decisions.iter().filter(|decision| decision.changes()).collect();
        if changes.len() < 2 {
            return Ok(());
        }
        write!(f, "\nwidth over time")?;
        for Decision { at, width, sample } in &changes[changes.len().saturating_sub(SHOWN)..] {
            write!(f, "\n{:>11.3} s  {width}", at.as_secs_f64())?;
            if let Some(sample) = sample {
                let (throughput, rollbacks) = (sample.throughput(), sample.rollbacks);
                let space = 8_usize.saturating_sub(width.to_string().len());
                write!(f, "{:space$}{throughput:.0} commits/s, {rollbacks} rollbacks before", "")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::width::Sample;
    use std::time::Duration;

    fn conflict(
        rollbacks: u64,
        variable: Option<&'static str>,
        message: &'static str,
        cause: Cause,
    ) -> Conflict {
        Conflict { variable, message, cause, rollbacks }
    }

    fn stats() -> SpeculationStats {
        let sample = Sample {
            width: 1,
            most: 2,
            commits: 240,
            elapsed: Duration::from_millis(10),
            ..Sample::default()
        };
        let at = Duration::from_millis;
        SpeculationStats {
            width: 2,
            width_goes_by: Some("throughput"),
            lanes_at_most: 2,
            lane_waits: 9,
            commits: 71,
            failures: 3,
            failures_by_message: vec![("Withdraw", 3)],
            rollbacks: vec![(Cause::ReadOverwritten, 11), (Cause::WriteLocked, 1)],
            conflicts: vec![
                conflict(11, Some("total"), "Deposit", Cause::ReadOverwritten),
                conflict(1, None, "Rename", Cause::WriteLocked),
            ],
            decisions: vec![
                Decision { at: at(0), width: 1, sample: None },
                Decision { at: at(2), width: 1, sample: Some(sample) },
                Decision { at: at(12), width: 2, sample: Some(sample) },
            ],
            ..SpeculationStats::default()
        }
    }

    #[test]
    fn a_report_is_a_table_for_people() {
        let expected = "\
width 2, 71 commits, 3 failures, 12 rollbacks
width by throughput
lanes 2 at most, 9 messages waited for one of their own sender
   failures  message
          3  Withdraw
  rollbacks  variable  message  cause
         11  total     Deposit  read overwritten
          1  -         Rename   write locked
width over time
      0.000 s  1
      0.012 s  2       24000 commits/s, 0 rollbacks before";
        assert_eq!(stats().to_string(), expected);
        let without = "width 0, 0 commits, 0 failures, 0 rollbacks";
        assert_eq!(SpeculationStats::default().to_string(), without);
    }

    #[test]
    fn a_report_says_when_lanes_keep_the_actor_narrow() {
        let narrow = |width, width_goes_by, lanes_at_most, lane_waits| {
            let stats = SpeculationStats {
                width,
                width_goes_by,
                lanes_at_most,
                lane_waits,
                ..SpeculationStats::default()
            };
            assert_eq!(stats.to_string().contains("narrow"), stats.is_narrowed_by_lanes());
            stats.is_narrowed_by_lanes()
        };
        assert!(narrow(4, None, 1, 5));
        assert!(!narrow(4, None, 4, 5), "as many senders as it handles at once");
        assert!(!narrow(4, None, 1, 0), "nobody had to wait");
        assert!(!narrow(1, None, 1, 5), "it was to be that narrow");
        assert!(narrow(1, Some("throughput"), 1, 5));
    }

    #[test]
    fn rollbacks_add_up_by_variable() {
        let mut stats = stats();
        let more = [
            conflict(5, Some("names"), "Rename", Cause::WriteLocked),
            conflict(4, Some("total"), "Rename", Cause::WriteLocked),
            conflict(12, Some("names"), "Deposit", Cause::ReadOverwritten),
        ];
        stats.conflicts.extend(more);
        assert_eq!(stats.by_variable(), [("names", 17), ("total", 15)]);
    }
}
