//! `odeon bench heterogeneous`: figures 6.6, 6.7 and 6.8 of Hayduk's thesis (k-means on cores and
//! devices: power, time and energy, lines of code, shares of work).
//!
//! | figure | file |
//! |---|---|
//! | 6.6: power, time and energy by governor and implementation | `governors.rs` |
//! | 6.7: lines of code of each way to write the worker | `ways.rs` |
//! | 6.8: what a pool finds by profiling, and all the work, by numbers of workers | `sharing.rs` |

mod governors;
mod sharing;
mod ways;

use super::page::{Drawing, Page, Section, setting};
use super::{Findings, Paper, PaperPlan, USUAL, WatchPaper};
use crate::devices;
use crate::energy;
use crate::error::BenchError;
use crate::workload::Workload;
use crate::workloads;
use governors::Measurement;
use sharing::SetResult;

pub(super) const PAPER: Paper = Paper {
    name: "heterogeneous",
    about: "the thesis on heterogeneous actors: k-means on cores and devices, energy, shares of work",
    samples: 5,
    run,
    ..USUAL
};

/// The workload of the chapter.
fn kmeans() -> &'static Workload {
    workloads::find("kmeans").expect("it is one of the workloads")
}

fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Findings, BenchError> {
    let measurements = governors::measure(plan, watch)?;
    let shared = sharing::measure(plan, watch)?;
    let tables = vec![
        ("figure 6.6: power, time, energy", governors::table(&measurements)),
        ("figure 6.7: lines of code", ways::table()),
        ("figure 6.8: profiling and the remaining work", sharing::table(&shared)),
    ];
    let notes = energy::missing().into_iter().collect();
    Ok(Findings { tables, notes, ..Findings::new(page(plan, &measurements, &shared)) })
}

fn page(plan: &PaperPlan, measurements: &[Measurement], shared: &[SetResult]) -> Page {
    let rows = [
        ("devices for kernels", devices::all_told(), "the GPU"),
        (
            "energy",
            "counters of the machine (RAPL, NVML), where it has any".to_owned(),
            "a power meter at the plug",
        ),
        (
            "rounds",
            "figure 6.6: 200, or as many as fit into some seconds where energy is measured, and what 200 take is told; figure 6.8: fixed numbers".to_owned(),
            "until points stay; figure 6.8: 5,000",
        ),
    ];
    let theirs = ["AMD FX-8120, 8 cores; NVIDIA GeForce GTX 780 Ti", "2017", "5, median"];
    let bars = |bars| Drawing::Bars(bars);
    let powers = Section {
        heading: "Figure 6.6: power, time and energy by governor and implementation".to_owned(),
        said: governors::statements(measurements),
        plots: governors::charts(measurements)
            .into_iter()
            .map(|(file, chart)| (file.to_owned(), bars(chart)))
            .collect(),
        table: Some(governors::table(measurements)),
        ..Section::default()
    };
    let lines = Section {
        heading: "Figure 6.7: lines of code of the worker".to_owned(),
        shows: "Counted from the files of each way by this program, without comments and empty lines. The thesis's worker behind RabbitMQ computes by CUDA C; \
                here its processes do their pieces by any of the other ways, and the lines are those of cores.",
        plots: vec![("figure-6.7.svg".to_owned(), bars(ways::chart()))],
        table: Some(ways::table()),
        ..Section::default()
    };
    let profiling = Section {
        heading: "Figure 6.8: profiling and the remaining work".to_owned(),
        shows: "Profiling is what a balancing pool says of its own trials, in runs in which it had all these configurations to choose from; one that is far dearer than others is cut off before it has done its part. Beside it stand runs of each configuration alone.",
        ..Section::default()
    };
    let sets = shared.iter().map(SetResult::section);
    Page {
        title: "Odeon: heterogeneous actors",
        heading: "Heterogeneous actors, beside the thesis",
        who: "the thesis",
        is_quick: plan.quick,
        setting: setting(plan, "thesis", theirs, rows),
        intro: vec![
            "M. Hayduk, Exploiting Concurrency and Heterogeneity for Energy-efficient Computing: An Actor-based Approach (2017), chapter 6. \
             Its text gives few numbers of these figures; all else is only drawn there, and is not read from there."
                .to_owned(),
        ],
        sections: [powers, lines, profiling].into_iter().chain(sets).collect(),
    }
}

#[cfg(test)]
mod tests;
