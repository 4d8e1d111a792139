//! The page: each figure of the paper with what it says, beside what was measured here.

use super::{Compared, Kind, SelectorsPlan, name_of};
use crate::date;
use crate::environment::Machine;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements, table};
use crate::lines;
use crate::runner::WRONG_RESULT;
use crate::table::{factor, short};

pub(super) fn page(plan: &SelectorsPlan, compared: &[Compared], machine: &Machine) -> String {
    let mut body = element("h1", "Selectors, beside the paper");
    if plan.quick {
        body += QUICK_RUN;
    }
    body += &setting(plan, machine);
    for one in compared {
        body += &section(one, plan.quick);
    }
    html_page("Odeon: selectors", &body)
}

fn setting(plan: &SelectorsPlan, machine: &Machine) -> String {
    let samples = plan.rounds.samples;
    let parameters = if plan.paper { "the paper's" } else { "scaled to two cores" };
    let rows = [
        ("machine", machine.line(), "12 cores: two Intel Westmere at 2.8 GHz"),
        ("date", date::today(), ""),
        ("worker threads", "2, unless a table says otherwise".to_owned(), "13"),
        ("parameters", parameters.to_owned(), ""),
        (
            "samples",
            format!("{samples}, median; versions of one benchmark take turns"),
            "arithmetic mean of the best 50 of 120",
        ),
        (
            "versions without selectors",
            "Odeon's own plain actors, with the same algorithm: a stash, a dictionary or a priority queue inside".to_owned(),
            "Scala, Akka, Jetlang, Scalaz, Functional Java and Habanero actors",
        ),
        (
            "lines",
            "of the file with the messages and actors of a version, without comments and empty lines".to_owned(),
            "of the whole program",
        ),
    ];
    let rows = rows.map(|(what, ours, paper)| vec![what.to_owned(), ours, paper.to_owned()]);
    table(&["", "here", "paper"], rows)
}

fn section(compared: &Compared, is_quick: bool) -> String {
    let comparison = compared.comparison;
    let heading = match comparison.figure {
        Some(figure) => format!("Figure {figure}: {}", comparison.title),
        None => comparison.title.to_owned(),
    };
    let said = comparison.paper.iter().map(|said| vec![(*said).to_owned(), ours(compared)]);
    let said = if comparison.paper.is_empty() {
        String::new()
    } else {
        statements("the paper", is_quick, said)
    };
    element("h2", &heading)
        + &element("p", comparison.shows)
        + &said
        + &times(compared)
        + &picture(&compared.plot())
}

/// How the best selector compares with the best version without, at each point.
fn ours(compared: &Compared) -> String {
    let points = compared.points.iter().filter_map(|point| {
        let (selector, _) = compared.best(point, Kind::Selector)?;
        let (actor, _) = compared.best(point, Kind::Actor)?;
        let ratio = factor(compared.ratio(point)?);
        let names = format!("{ratio} ({} against {})", selector.name, actor.name);
        Some(match point.value {
            Some(value) => format!("{value}: {names}"),
            None => names,
        })
    });
    points.collect::<Vec<_>>().join("; ")
}

fn times(compared: &Compared) -> String {
    let cases = compared.points.iter().flat_map(|point| {
        point.cases.iter().map(move |(version, params)| (point, version, params))
    });
    let rows = cases.filter_map(|(point, version, params)| {
        if compared.is_wrong(params) {
            let mut row = vec![name_of(compared.comparison, point), version.name.to_owned()];
            row.extend([WRONG_RESULT.to_owned(), String::new(), String::new()]);
            return Some(row);
        }
        let time = compared.milliseconds(params)?;
        Some(vec![
            name_of(compared.comparison, point),
            version.name.to_owned(),
            short(time.median),
            format!("{}..{}", short(time.min), short(time.max)),
            version.source.map_or_else(String::new, |source| lines::of_code(source).to_string()),
        ])
    });
    table(&["", "version", "median ms", "min..max", "lines"], rows)
}
