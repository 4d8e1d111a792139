//! What there is to say of a run whose pictures are drawn: how like the training image the result
//! is.

use crate::error::BenchError;
use crate::parameter::Params;
use crate::table::{TextTable, short};
use odeon_example_geostat::actors::{Drawn, draw};
use odeon_example_geostat::statistics::{DIRECTIONS, Statistics};
use std::path::Path;

/// Distances whose statistics are shown.
const LAGS: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// Runs once more and writes into the folder `out`, which is there; answers what there is to say of
/// it.
pub(super) fn write(params: &Params, out: &Path) -> Result<String, BenchError> {
    let Drawn { result, image, order } = draw(super::set_up(params)?, out)?;
    let difference = result.difference(&image);
    Ok(format!(
        "{}\nfurthest apart: proportions {}, variograms {} of the sill, connectivities {}\n{order}\npictures and result: {}",
        table(&result, &image).to_text(),
        short(difference.proportion),
        short(difference.variogram),
        short(difference.connectivity),
        out.display()
    ))
}

fn table(ours: &Statistics, theirs: &Statistics) -> TextTable {
    let mut table = TextTable::new(["value", "of", "", "distance", "result", "training image"]);
    for (one, other) in ours.0.iter().zip(&theirs.0) {
        let mut row = |what: &str, direction: &str, lag: &str, (ours, theirs): (f64, f64)| {
            let words =
                [one.value.to_string(), what.to_owned(), direction.to_owned(), lag.to_owned()];
            table.row(words.into_iter().chain([format!("{ours:.4}"), format!("{theirs:.4}")]));
        };
        row("proportion", "", "", (one.proportion, other.proportion));
        for (direction, name) in DIRECTIONS.into_iter().enumerate() {
            for (what, all) in [
                ("variogram", (&one.variogram[direction], &other.variogram[direction])),
                ("connectivity", (&one.connectivity[direction], &other.connectivity[direction])),
            ] {
                for lag in LAGS {
                    if let (Some(ours), Some(theirs)) = (all.0.get(lag - 1), all.1.get(lag - 1)) {
                        row(what, name, &lag.to_string(), (*ours, *theirs));
                    }
                }
            }
        }
    }
    table
}
