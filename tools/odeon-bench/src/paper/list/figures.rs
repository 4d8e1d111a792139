//! What the papers say of their figures, each statement beside the number of ours that answers it.
//! Values are given only where the text of a paper gives them; their plots are not read.

use super::matrix::Matrix;
use super::{ADAPTIVE, FIXED, KEPT, ListKey, ROLLBACKS, SNAPSHOT, THRESHOLD, TRANSACTION, charts};
use crate::paper::courses::{Courses, RunCourse};
use crate::paper::not_measured;
use crate::paper::page::{Drawing, Section};
use crate::table::factor;

const CONCURRENT: (&str, &str) = ("concurrent", "sequential");
/// Both with coordinated sums, which block list actors in the second.
const COORDINATED: (&str, &str) = ("nonblocking", "sequential");
const BOTH: (&str, &str) = ("combined", "nonblocking");

fn figure(
    heading: String,
    shows: &'static str,
    said: Vec<(&'static str, String)>,
    plots: Vec<(String, Drawing)>,
) -> Section {
    Section { heading, shows, said, plots, ..Section::default() }
}

/// Of Hayduk, Sobe and Felber, OPODIS 2013.
pub(super) fn opodis(matrix: &Matrix) -> Vec<Section> {
    let heading = |number: &str| format!("OPODIS 2013, figure {number}");
    let faster = |mix, modes, actors: &[u64]| faster(matrix, mix, modes, actors);
    let all = &matrix.list_actors;
    let few: Vec<u64> = all.iter().copied().filter(|actors| *actors <= 16).collect();
    vec![
        figure(
            heading("4"),
            "Execution time, read-dominated (97 % lookups, 2 % updates, 1 % sums), 125 to 500 request actors of 1,000 requests; a line for each number of list actors.",
            vec![
                (
                    "Concurrent processing takes less time than sequential processing up to 16 list actors.",
                    faster("read", CONCURRENT, &few),
                ),
                (
                    "With 32 list actors, concurrent processing is even slower than with one list actor.",
                    against_one(matrix, "read", "concurrent", 32),
                ),
                (
                    "Non-blocking coordinated processing reduces that time considerably.",
                    faster("read", COORDINATED, all),
                ),
            ],
            matrix.by_mode("read"),
        ),
        figure(
            heading("5"),
            "The same with 1, 8 and 32 list actors; a line for each way of processing.",
            vec![
                (
                    "One list actor: concurrent processing improves the time considerably.",
                    faster("read", CONCURRENT, &[1]),
                ),
                (
                    "32 list actors: concurrent processing takes about as long as sequential processing.",
                    faster("read", CONCURRENT, &[32]),
                ),
                (
                    "One list actor: non-blocking coordinated processing is slower than sequential processing; from 8 list actors on it is faster than concurrent processing.",
                    format!(
                        "{}; {}",
                        faster("read", COORDINATED, &[1]),
                        faster("read", ("nonblocking", "concurrent"), &[8, 32])
                    ),
                ),
            ],
            matrix.by_list_actors("read"),
        ),
        figure(
            heading("6"),
            "Execution time, write-dominated (1 % lookups, 98 % updates, 1 % sums); a line for each number of list actors.",
            vec![(
                "Concurrent processing improves most with 16 list actors.",
                faster("write", CONCURRENT, all),
            )],
            matrix.by_mode("write"),
        ),
        figure(
            heading("7"),
            "The same with 1, 8 and 16 list actors; a line for each way of processing.",
            vec![
                (
                    "One list actor: concurrent processing performs poorly, for its many write-write conflicts on the partial sum.",
                    faster("write", CONCURRENT, &[1]),
                ),
                (
                    "8 list actors: concurrent processing takes longer than sequential processing.",
                    faster("write", CONCURRENT, &[8]),
                ),
                (
                    "16 list actors: concurrent processing takes about as long as sequential processing; non-blocking coordinated processing is the fastest.",
                    format!(
                        "{}; {}",
                        faster("write", CONCURRENT, &[16]),
                        faster("write", COORDINATED, &[16])
                    ),
                ),
            ],
            matrix.by_list_actors("write"),
        ),
        figure(
            heading("8"),
            "Non-blocking and concurrent processing combined, read-dominated and write-dominated.",
            vec![(
                "Read-dominated with fewer than 16 list actors, the combination is faster than either; write-dominated, it is close to non-blocking processing.",
                format!(
                    "read: {}; {}; write: {}",
                    faster("read", BOTH, &few),
                    faster("read", ("combined", "concurrent"), &few),
                    faster("write", BOTH, all)
                ),
            )],
            Vec::new(),
        ),
    ]
}

/// Of Hayduk, 2017, chapter 5.
pub(super) fn thesis(courses: &Courses<ListKey>) -> Vec<Section> {
    let heading = |number: &str| format!("Hayduk's thesis, figure {number}");
    vec![
        figure(
            heading("5.3"),
            "Throughput and rollbacks over time, write-dominated, 8 list actors, 500 request actors; a fixed share of the threads for updates. Sums walk over all values.",
            vec![
                (
                    "Sums by direct reads (singleRelaxedGet) against sums in transactions: 50 % in execution time, 40 % in throughput, 90 % more rollbacks.",
                    sums(courses, "write", FIXED, SNAPSHOT),
                ),
                (
                    "(A kept sum is what OPODIS 2013 has instead of a walk.)",
                    sums(courses, "write", FIXED, KEPT),
                ),
            ],
            charts(courses, "write", &[FIXED]),
        ),
        figure(
            heading("5.4"),
            "The same with a number of threads that follows the ratio of commits to rollbacks.",
            vec![
                (
                    "Sums by direct reads: throughput higher by 65 %, run time lower by 70 %; sums in transactions as with fixed shares.",
                    format!(
                        "threshold: {}; adaptive: {}",
                        sums(courses, "write", THRESHOLD, SNAPSHOT),
                        sums(courses, "write", ADAPTIVE, SNAPSHOT)
                    ),
                ),
                (
                    "Sums in transactions are about as fast as with fixed shares.",
                    widths(courses, "write", TRANSACTION),
                ),
            ],
            charts(courses, "write", &[ADAPTIVE, THRESHOLD]),
        ),
        figure(
            heading("5.5"),
            "As 5.3, mixed (49 % lookups, 50 % updates, 1 % sums).",
            vec![(
                "Similar to the write-dominated list, with more benefit from direct reads.",
                sums(courses, "mixed", FIXED, SNAPSHOT),
            )],
            charts(courses, "mixed", &[FIXED]),
        ),
        figure(
            heading("5.6"),
            "As 5.4, mixed.",
            vec![(
                "A number of threads that adapts reduces the rollbacks further.",
                widths(courses, "mixed", SNAPSHOT),
            )],
            charts(courses, "mixed", &[ADAPTIVE, THRESHOLD]),
        ),
    ]
}

/// How many times faster a mode is than another, for some numbers of list actors.
fn faster(
    matrix: &Matrix,
    mix: &'static str,
    modes: (&'static str, &'static str),
    list_actors: &[u64],
) -> String {
    let each = |actors: &u64| {
        let times = matrix.times_faster(mix, modes, *actors)?;
        Some(format!("{actors}: {}", factor(times)))
    };
    let each: Vec<String> = list_actors.iter().filter_map(each).collect();
    let (mode, other) = modes;
    match each.is_empty() {
        true => not_measured(),
        false => {
            format!("throughput of {mode} against {other}, by list actors: {}", each.join(", "))
        }
    }
}

/// How a mode's time with many list actors compares to its time with one.
fn against_one(matrix: &Matrix, mix: &'static str, mode: &'static str, many: u64) -> String {
    let seconds = |actors| matrix.seconds_at_most(mix, mode, actors);
    seconds(many).zip(seconds(1)).map_or_else(not_measured, |(many_s, one_s)| {
        format!("{mode}: {many} list actors take {} the time of one", factor(many_s / one_s))
    })
}

/// One way to sum against sums in transactions.
fn sums(
    courses: &Courses<ListKey>,
    mix: &'static str,
    width: &'static str,
    sum: &'static str,
) -> String {
    compared(courses, (mix, width, sum), (mix, width, TRANSACTION))
        .map_or_else(not_measured, |compared| {
            format!("sum {sum} against sum {TRANSACTION}: {compared}")
        })
}

/// Widths that adapt against the fixed one, for one way to sum.
fn widths(courses: &Courses<ListKey>, mix: &'static str, sum: &'static str) -> String {
    let against_fixed = |width| {
        let compared = compared(courses, (mix, width, sum), (mix, FIXED, sum))?;
        Some(format!("{width} against {FIXED}: {compared}"))
    };
    let all: Vec<String> = [THRESHOLD, ADAPTIVE].into_iter().filter_map(against_fixed).collect();
    if all.is_empty() { not_measured() } else { all.join("; ") }
}

fn compared(courses: &Courses<ListKey>, this: ListKey, other: ListKey) -> Option<String> {
    let percent = |of: fn(&RunCourse) -> f64| {
        let (this, other) = (courses.median(this, of)?, courses.median(other, of)?);
        Some(format!("{:+.0} %", (this / other - 1.0) * 100.0))
    };
    let rollbacks = |key| courses.median(key, |course| course.total(ROLLBACKS));
    let seconds: fn(&RunCourse) -> f64 = |course| course.elapsed.as_secs_f64();
    let per_second: fn(&RunCourse) -> f64 =
        |course| course.ops as f64 / course.elapsed.as_secs_f64();
    Some(format!(
        "execution time {}, throughput {}, rollbacks {:.0} against {:.0}",
        percent(seconds)?,
        percent(per_second)?,
        rollbacks(this)?,
        rollbacks(other)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn medians_are_compared_in_per_cent() {
        let course = |ops, ms, rollbacks| {
            let elapsed = Duration::from_millis(ms);
            vec![RunCourse { ops, elapsed, looks: vec![(elapsed, vec![ops, rollbacks])] }]
        };
        let [this, other] = [KEPT, TRANSACTION].map(|sum| ("write", FIXED, sum));
        let both = [(this, course(70, 500, 19)), (other, course(100, 1000, 10))];
        let text = compared(&Courses::made_up(both), this, other);
        let expected = "execution time -50 %, throughput +40 %, rollbacks 19 against 10";
        assert_eq!(text.as_deref(), Some(expected));
    }
}
