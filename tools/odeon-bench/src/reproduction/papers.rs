//! What the papers say of their figures, each statement beside the number of ours that answers it. Values are given only where
//! the text of a paper gives them; their plots are not read.

use super::courses::{ADAPTIVE, Courses, FIXED, KEPT, Medians, SNAPSHOT, THRESHOLD, TRANSACTION};
use super::matrix::Matrix;
use crate::table::factor;

/// Hayduk, Sobe and Felber, OPODIS 2013.
const OPODIS: &str = "OPODIS 2013";
/// Hayduk, 2017, chapter 5.
const THESIS: &str = "Hayduk's thesis";

/// One figure of a paper.
pub(super) struct PaperFigure {
    pub(super) heading: String,
    /// What it shows, and in which setting.
    pub(super) shows: &'static str,
    pub(super) statements: Vec<Statement>,
    /// Files of the plots that show the same of ours.
    pub(super) plots: Vec<String>,
}

/// What a paper says, and what we measured.
pub(super) struct Statement {
    pub(super) paper: &'static str,
    pub(super) ours: String,
}

const CONCURRENT: (&str, &str) = ("concurrent", "sequential");
/// Both with coordinated sums, which block list actors in the second.
const COORDINATED: (&str, &str) = ("nonblocking", "sequential");
const BOTH: (&str, &str) = ("combined", "nonblocking");

/// All figures of the list, in the papers' order.
pub(super) fn figures(matrix: &Matrix, courses: &Courses) -> Vec<PaperFigure> {
    let mut figures = opodis(matrix);
    figures.extend(thesis(courses));
    figures
}

fn opodis(matrix: &Matrix) -> Vec<PaperFigure> {
    let heading = |number: &str| format!("{OPODIS}, figure {number}");
    let all = &matrix.list_actors;
    let few: Vec<u64> = all.iter().copied().filter(|actors| *actors <= 16).collect();
    let one_for_each_mode =
        |mix| matrix.modes.iter().map(|mode| Matrix::file_of_mode(mix, mode)).collect::<Vec<_>>();
    let one_for_each_number =
        |mix| all.iter().map(|actors| Matrix::file_of_actors(mix, *actors)).collect::<Vec<_>>();
    vec![
        PaperFigure {
            heading: heading("4"),
            shows: "Execution time, read-dominated (97 % lookups, 2 % updates, 1 % sums), 125 to 500 request actors of 1,000 requests; a line for each number of list actors.",
            statements: vec![
                Statement {
                    paper: "Concurrent processing takes less time than sequential processing up to 16 list actors.",
                    ours: faster(matrix, "read", CONCURRENT, &few),
                },
                Statement {
                    paper: "With 32 list actors, concurrent processing is even slower than with one list actor.",
                    ours: against_one(matrix, "read", "concurrent", 32),
                },
                Statement {
                    paper: "Non-blocking coordinated processing reduces that time considerably.",
                    ours: faster(matrix, "read", COORDINATED, all),
                },
            ],
            plots: one_for_each_mode("read"),
        },
        PaperFigure {
            heading: heading("5"),
            shows: "The same with 1, 8 and 32 list actors; a line for each way of processing.",
            statements: vec![
                Statement {
                    paper: "One list actor: concurrent processing improves the time considerably.",
                    ours: faster(matrix, "read", CONCURRENT, &[1]),
                },
                Statement {
                    paper: "32 list actors: concurrent processing takes about as long as sequential processing.",
                    ours: faster(matrix, "read", CONCURRENT, &[32]),
                },
                Statement {
                    paper: "One list actor: non-blocking coordinated processing is slower than sequential processing; from 8 list actors on it is faster than concurrent processing.",
                    ours: format!(
                        "{}; {}",
                        faster(matrix, "read", COORDINATED, &[1]),
                        faster(matrix, "read", ("nonblocking", "concurrent"), &[8, 32])
                    ),
                },
            ],
            plots: one_for_each_number("read"),
        },
        PaperFigure {
            heading: heading("6"),
            shows: "Execution time, write-dominated (1 % lookups, 98 % updates, 1 % sums); a line for each number of list actors.",
            statements: vec![Statement {
                paper: "Concurrent processing improves most with 16 list actors.",
                ours: faster(matrix, "write", CONCURRENT, all),
            }],
            plots: one_for_each_mode("write"),
        },
        PaperFigure {
            heading: heading("7"),
            shows: "The same with 1, 8 and 16 list actors; a line for each way of processing.",
            statements: vec![
                Statement {
                    paper: "One list actor: concurrent processing performs poorly, for its many write-write conflicts on the partial sum.",
                    ours: faster(matrix, "write", CONCURRENT, &[1]),
                },
                Statement {
                    paper: "8 list actors: concurrent processing takes longer than sequential processing.",
                    ours: faster(matrix, "write", CONCURRENT, &[8]),
                },
                Statement {
                    paper: "16 list actors: concurrent processing takes about as long as sequential processing; non-blocking coordinated processing is the fastest.",
                    ours: format!(
                        "{}; {}",
                        faster(matrix, "write", CONCURRENT, &[16]),
                        faster(matrix, "write", COORDINATED, &[16])
                    ),
                },
            ],
            plots: one_for_each_number("write"),
        },
        PaperFigure {
            heading: heading("8"),
            shows: "Non-blocking and concurrent processing combined, read-dominated and write-dominated.",
            statements: vec![Statement {
                paper: "Read-dominated with fewer than 16 list actors, the combination is faster than either; write-dominated, it is close to non-blocking processing.",
                ours: format!(
                    "read: {}; {}; write: {}",
                    faster(matrix, "read", BOTH, &few),
                    faster(matrix, "read", ("combined", "concurrent"), &few),
                    faster(matrix, "write", BOTH, all)
                ),
            }],
            plots: Vec::new(),
        },
    ]
}

fn thesis(courses: &Courses) -> Vec<PaperFigure> {
    let heading = |number: &str| format!("{THESIS}, figure {number}");
    let plots = |mix, widths: &[&str]| {
        let both =
            |width: &&str| ["throughput", "rollbacks"].map(|what| Courses::file(what, mix, width));
        widths.iter().flat_map(both).collect::<Vec<_>>()
    };
    let dynamic: &[&str] = &[ADAPTIVE, THRESHOLD];
    vec![
        PaperFigure {
            heading: heading("5.3"),
            shows: "Throughput and rollbacks over time, write-dominated, 8 list actors, 500 request actors; a fixed share of the threads for updates. Sums walk over all values.",
            statements: vec![
                Statement {
                    paper: "Sums by direct reads (singleRelaxedGet) against sums in transactions: 50 % in execution time, 40 % in throughput, 90 % more rollbacks.",
                    ours: sums(courses, "write", FIXED, SNAPSHOT),
                },
                Statement {
                    paper: "(A kept sum is what OPODIS 2013 has instead of a walk.)",
                    ours: sums(courses, "write", FIXED, KEPT),
                },
            ],
            plots: plots("write", &[FIXED]),
        },
        PaperFigure {
            heading: heading("5.4"),
            shows: "The same with a number of threads that follows the ratio of commits to rollbacks.",
            statements: vec![
                Statement {
                    paper: "Sums by direct reads: throughput higher by 65 %, run time lower by 70 %; sums in transactions as with fixed shares.",
                    ours: format!(
                        "threshold: {}; adaptive: {}",
                        sums(courses, "write", THRESHOLD, SNAPSHOT),
                        sums(courses, "write", ADAPTIVE, SNAPSHOT)
                    ),
                },
                Statement {
                    paper: "Sums in transactions are about as fast as with fixed shares.",
                    ours: widths(courses, "write", TRANSACTION),
                },
            ],
            plots: plots("write", dynamic),
        },
        PaperFigure {
            heading: heading("5.5"),
            shows: "As 5.3, mixed (49 % lookups, 50 % updates, 1 % sums).",
            statements: vec![Statement {
                paper: "Similar to the write-dominated list, with more benefit from direct reads.",
                ours: sums(courses, "mixed", FIXED, SNAPSHOT),
            }],
            plots: plots("mixed", &[FIXED]),
        },
        PaperFigure {
            heading: heading("5.6"),
            shows: "As 5.4, mixed.",
            statements: vec![Statement {
                paper: "A number of threads that adapts reduces the rollbacks further.",
                ours: widths(courses, "mixed", SNAPSHOT),
            }],
            plots: plots("mixed", dynamic),
        },
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
    if each.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let (mode, other) = modes;
    format!("throughput of {mode} against {other}, by list actors: {}", each.join(", "))
}

const NOT_MEASURED: &str = "not measured in this run";

/// How a mode's time with many list actors compares to its time with one.
fn against_one(matrix: &Matrix, mix: &'static str, mode: &'static str, many: u64) -> String {
    let seconds = |actors| matrix.seconds(mix, mode, actors, matrix.most_requesters());
    match seconds(many).zip(seconds(1)) {
        Some((many_s, one_s)) => {
            format!("{mode}: {many} list actors take {} the time of one", factor(many_s / one_s))
        }
        None => NOT_MEASURED.to_owned(),
    }
}

/// One way to sum against sums in transactions.
fn sums(courses: &Courses, mix: &str, width: &str, sum: &str) -> String {
    let both = courses.medians(mix, width, sum).zip(courses.medians(mix, width, TRANSACTION));
    both.map_or_else(
        || NOT_MEASURED.to_owned(),
        |(this, other)| format!("sum {sum} against sum {TRANSACTION}: {}", compared(this, other)),
    )
}

/// Widths that adapt against the fixed one, for one way to sum.
fn widths(courses: &Courses, mix: &str, sum: &str) -> String {
    let against_fixed = |width| {
        let both = courses.medians(mix, width, sum).zip(courses.medians(mix, FIXED, sum));
        both.map(|(this, other)| format!("{width} against {FIXED}: {}", compared(this, other)))
    };
    let all: Vec<String> = [THRESHOLD, ADAPTIVE].into_iter().filter_map(against_fixed).collect();
    if all.is_empty() { NOT_MEASURED.to_owned() } else { all.join("; ") }
}

fn compared(this: Medians, other: Medians) -> String {
    let percent = |this: f64, other: f64| format!("{:+.0} %", (this / other - 1.0) * 100.0);
    format!(
        "execution time {}, throughput {}, rollbacks {:.0} against {:.0}",
        percent(this.seconds, other.seconds),
        percent(this.per_second, other.per_second),
        this.rollbacks,
        other.rollbacks
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_compared_in_per_cent() {
        let this = Medians { seconds: 0.5, per_second: 140.0, rollbacks: 19.0 };
        let other = Medians { seconds: 1.0, per_second: 100.0, rollbacks: 10.0 };
        let text = compared(this, other);
        assert_eq!(text, "execution time -50 %, throughput +40 %, rollbacks 19 against 10");
    }
}
