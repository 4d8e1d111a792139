//! `odeon theater ps`.

use clap::Args;
use odeon_theater::{Membership, MobileActor};
use serde::Serialize;
use std::time::Duration;

use super::error::TheaterError;
use super::looking::{FoundTheater, look};
use super::meant::{digits_of, short, short_actor};
use super::reach::{GuestTheater, Reach};
use crate::output::Terminal;

#[derive(Args)]
pub(crate) struct PsArguments {
    #[command(flatten)]
    reach: Reach,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// How long to look for theaters at most.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    within: u64,
}

pub(super) fn ps(arguments: &PsArguments) -> Result<(), TheaterError> {
    let member = GuestTheater::visiting(&arguments.reach)?;
    let found = look(&member, &arguments.reach, Duration::from_secs(arguments.within));
    let listed = found.and_then(|found| {
        let text = if arguments.json { json(&found)? } else { tables(&found) };
        print(&text)
    });
    member.leave();
    listed
}

pub(super) fn print(text: &str) -> Result<(), TheaterError> {
    let mut terminal = Terminal::default();
    terminal.print(text);
    terminal.finish().map_err(TheaterError::failed)
}

#[derive(Serialize)]
struct Listed {
    theaters: Vec<ListedTheater>,
    actors: Vec<ListedActor>,
}

#[derive(Serialize)]
struct ListedTheater {
    id: String,
    /// Whether it has a control actor, and so can say more.
    served: bool,
    name: String,
    state: &'static str,
    drained: bool,
    members: usize,
    referred_to: usize,
    refers_to: usize,
}

#[derive(Serialize)]
struct ListedActor {
    id: String,
    kind: String,
    theater: String,
    leaves: bool,
    moves: u64,
    handled: u64,
}

fn json(found: &[FoundTheater]) -> Result<String, TheaterError> {
    let theaters = found.iter().map(|theater| {
        let overview = theater.overview();
        ListedTheater {
            id: theater.id.to_string(),
            served: overview.is_some(),
            name: overview.map_or_else(String::new, |overview| overview.name.clone()),
            state: state(theater.is),
            drained: overview.is_some_and(|overview| overview.is_drained),
            members: overview.map_or(0, |overview| overview.members.len()),
            referred_to: overview.map_or(0, |overview| overview.referred_to),
            refers_to: overview.map_or(0, |overview| overview.refers_to),
        }
    });
    let actors = actors(found).map(|(theater, actor)| ListedActor {
        id: actor.id.to_string(),
        kind: actor.kind.clone(),
        theater: theater.id.to_string(),
        leaves: actor.leaves,
        moves: actor.moves,
        handled: actor.handled,
    });
    let listed = Listed { theaters: theaters.collect(), actors: actors.collect() };
    serde_json::to_string_pretty(&listed).map_err(TheaterError::failed)
}

fn actors(found: &[FoundTheater]) -> impl Iterator<Item = (&FoundTheater, &MobileActor)> {
    found.iter().flat_map(|theater| {
        let overview = theater.overview().into_iter();
        overview.flat_map(|overview| &overview.mobile).map(move |actor| (theater, actor))
    })
}

fn state(is: Membership) -> &'static str {
    match is {
        Membership::Present => "present",
        Membership::Suspected => "suspected",
    }
}

fn tables(found: &[FoundTheater]) -> String {
    let digits = digits_of(found);
    let mut theaters = vec![row(&["theater", "id", "state", "actors", "referred to", "refers to"])];
    for theater in found {
        let (id, is) = (short(theater.id, digits), state(theater.is));
        theaters.push(match theater.overview() {
            None => row(&["-", &id, is, "-", "-", "-"]),
            Some(it) => {
                let is = if it.is_drained { format!("{is}, drained") } else { is.into() };
                let counts = [it.mobile.len(), it.referred_to, it.refers_to];
                let [mobile, to, from] = counts.map(|count| count.to_string());
                row(&[&it.name, &id, &is, &mobile, &to, &from])
            }
        });
    }
    let mut all = vec![row(&["actor", "kind", "theater", "moves", "handled"])];
    for (theater, actor) in actors(found) {
        let (moves, handled) = (actor.moves.to_string(), actor.handled.to_string());
        let id = short_actor(actor.id, digits);
        all.push(row(&[&id, &actor.kind, theater.name(), &moves, &handled]));
    }
    if all.len() == 1 {
        return aligned(&theaters);
    }
    format!("{}\n\n{}", aligned(&theaters), aligned(&all))
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

/// Rows of which all have as many cells, one below the other.
fn aligned(rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_each_other() {
        let rows = [row(&["a", "bc", "d"]), row(&["long", "e", ""])];
        assert_eq!(aligned(&rows), "a     bc  d\nlong  e");
    }
}
