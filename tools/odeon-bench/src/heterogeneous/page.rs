//! The page: each figure of the thesis with what its text says, beside what was measured here.

use super::{HeterogeneousOutcome, HeterogeneousPlan, governors, sharing, ways};
use crate::date;
use crate::devices;
use crate::environment::Machine;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements, table};

pub(super) fn page(
    plan: &HeterogeneousPlan,
    outcome: &HeterogeneousOutcome,
    machine: &Machine,
) -> String {
    let mut body = element("h1", "Heterogeneous actors, beside the thesis");
    if plan.quick {
        body += QUICK_RUN;
    }
    body += &setting(plan, machine);
    body += &element(
        "p",
        "M. Hayduk, Exploiting Concurrency and Heterogeneity for Energy-efficient Computing: An Actor-based Approach (2017), chapter 6. \
         Its text gives few numbers of these figures; all else is only drawn there, and is not read from there.",
    );
    body += &powers(outcome, plan.quick);
    body += &element("h2", "Figure 6.7: lines of code of the worker");
    body += &element(
        "p",
        "Counted from the files of each way by this program, without comments and empty lines. The thesis's worker behind RabbitMQ computes by CUDA C; \
         here its processes do their pieces by any of the other ways, and the lines are those of cores.",
    );
    body += &table(&ways::HEADINGS, ways::rows());
    body += &picture(ways::FILE);
    body += &element("h2", "Figure 6.8: profiling and the remaining work");
    body += &element(
        "p",
        "Profiling is what a balancing pool says of its own trials, in runs in which it had all these configurations to choose from; one that is far dearer than others is cut off before it has done its part. Beside it stand runs of each configuration alone.",
    );
    for shared in &outcome.shared {
        body += &element("h3", &shared.title());
        let said = vec![shared.thesis.to_owned(), shared.ours()];
        body += &statements("the thesis", plan.quick, [said]);
        body += &picture(&shared.file());
        body += &table(&sharing::HEADINGS, shared.rows());
    }
    html_page("Odeon: heterogeneous actors", &body)
}

fn setting(plan: &HeterogeneousPlan, machine: &Machine) -> String {
    let rows = [
        ("machine", machine.line(), "AMD FX-8120, 8 cores; NVIDIA GeForce GTX 780 Ti"),
        ("devices for kernels", devices::all_told(), "the GPU"),
        ("date", date::today(), "2017"),
        (
            "energy",
            "counters of the machine (RAPL, NVML), where it has any".to_owned(),
            "a power meter at the plug",
        ),
        ("samples", format!("{}, median", plan.rounds.samples), "5, median"),
        (
            "rounds",
            "figure 6.6: 200, or as many as fit into some seconds where energy is measured, and what 200 take is told; figure 6.8: fixed numbers".to_owned(),
            "until points stay; figure 6.8: 5,000",
        ),
    ];
    let rows = rows.map(|(what, ours, thesis)| vec![what.to_owned(), ours, thesis.to_owned()]);
    table(&["", "here", "thesis"], rows)
}

fn powers(outcome: &HeterogeneousOutcome, is_quick: bool) -> String {
    let measurements = &outcome.measurements;
    let rows = measurements.iter().map(|one| {
        let names = [one.governor, one.implementation, one.in_thesis].map(str::to_owned);
        names.into_iter().chain(governors::cells(one)).collect()
    });
    let pictures: String =
        governors::charts(measurements).into_iter().map(|(file, _)| picture(file)).collect();
    element("h2", "Figure 6.6: power, time and energy by governor and implementation")
        + &statements("the thesis", is_quick, governors::statements(measurements))
        + &pictures
        + &table(&["governor", "implementation", "in the thesis", "W", "ms", "J"], rows)
}
