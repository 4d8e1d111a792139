//! The page: each figure of the paper with what its text says, beside what was measured here.

use super::drawn::Drawn;
use super::{TheatersPlan, in_ms};
use crate::date;
use crate::environment::Machine;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements, table};
use crate::runner::WRONG_RESULT;
use crate::statistics::Spread;
use crate::table::short;

pub(super) fn page(plan: &TheatersPlan, drawn: &[Drawn], machine: &Machine) -> String {
    let mut body = element("h1", "Remote and mobile actors, beside the paper on SALSA Lite");
    if plan.quick {
        body += QUICK_RUN;
    }
    body += &setting(plan, machine);
    body += &element(
        "p",
        "The paper's text gives ratios, correlations and few times; all else of its figures is only drawn, and is not read from there. \
         What operations take is, here as there, the slope of a straight line through the times of runs.",
    );
    for one in drawn {
        body += &section(one, plan.quick);
    }
    html_page("Odeon: remote and mobile actors", &body)
}

fn setting(plan: &TheatersPlan, machine: &Machine) -> String {
    let chosen: Vec<String> =
        plan.chosen.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let rows = [
        (
            "machine",
            machine.line(),
            "four nodes with two quad-core Intel E5-2643 at 3.3 GHz each, InfiniBand FDR between them (56 Gb/s)",
        ),
        ("date", date::today(), "2015"),
        (
            "theaters",
            "processes on this machine, by its loopback interface".to_owned(),
            "one on each node",
        ),
        (
            "threads for actors",
            "one worker in each theater, and Zenoh's threads".to_owned(),
            "one stage in each theater, and a thread for each connection",
        ),
        ("otherwise chosen", chosen.join(" "), ""),
        ("samples", format!("{}, median", plan.rounds.samples), "10, mean"),
        ("start", "not in the times".to_owned(), "in the times: of theaters and name servers"),
    ];
    let rows = rows.map(|(what, ours, paper)| vec![what.to_owned(), ours, paper.to_owned()]);
    table(&["", "here", "paper"], rows)
}

fn section(drawn: &Drawn, is_quick: bool) -> String {
    let figure = drawn.figure;
    let said = figure.statements.iter().map(|one| vec![one.paper.to_owned(), (one.ours)(drawn)]);
    let times = drawn.times().map(|(line, value, seconds)| {
        let Spread { min, median, max } = in_ms(seconds);
        let spread = format!("{}..{}", short(min), short(max));
        vec![line.to_owned(), value.to_string(), short(median), spread]
    });
    let wrong = drawn.wrong().map(|(line, value, _)| {
        vec![line.to_owned(), value.to_string(), WRONG_RESULT.to_owned(), String::new()]
    });
    let times = times.chain(wrong);
    let pictures: String =
        figure.parts.iter().map(|(part, _, _)| picture(&drawn.file(part))).collect();
    element("h2", &format!("Figure {}: {}", figure.number, figure.title))
        + &element("p", figure.shows)
        + &statements("the paper", is_quick, said)
        + &pictures
        + &table(&["", figure.x_title, "median ms", "min..max"], times)
}
