//! Files of one more run: pictures of the training image, of the result, and of what a log actor has seen of it meanwhile; the result as
//! GSLIB; and how like the training image it is.

use super::running::Run;
use crate::error::BenchError;
use crate::geostat::statistics::{DIRECTIONS, Statistics};
use crate::geostat::training_image::Field;
use crate::geostat::{gslib, png_image};
use crate::parameter::Params;
use crate::table::{Table, short};
use std::path::{Path, PathBuf};

/// Pictures of the grid on its way: when so many per cent more of the points are simulated.
const EVERY_PERCENT: usize = 10;

/// Up to so many points it is looked for a serial order, which takes some 300 bytes for each.
const MOST_CHECKED: usize = 4_000_000;

/// Distances whose statistics are shown.
const LAGS: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// Runs once more and writes into the folder `out`, which is there; answers what there is to say of it.
pub(super) fn write(params: &Params, out: &Path) -> Result<String, BenchError> {
    let run = Run::new(params)?;
    let image = run.task.model.image().clone();
    let values = image.field().values();
    let range = (
        values.iter().copied().fold(f32::INFINITY, f32::min),
        values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
    );
    png_image::write(&out.join("training-image.png"), image.field(), range)?;
    let width = run.task.start.width();
    let informed = run.task.start.values().len() - run.task.path.len();
    let progressing =
        Progressing { out: out.to_owned(), range, width, shown: informed * 100 / (width * width) };
    let is_checked = run.task.path.len() <= MOST_CHECKED;
    let run = run.drawn(progressing);
    let outcome = if is_checked { run.checked() } else { run }.simulate()?;
    let order = match outcome.serial_order {
        Some(order) => format!("there is a serial order of all {} points", order.len()),
        None => format!("no serial order was looked for: more than {MOST_CHECKED} points"),
    };
    png_image::write(&out.join("result.png"), &outcome.grid, range)?;
    gslib::write(&out.join("result.dat"), &outcome.grid, "simulated")?;

    let (ours, theirs) = (Statistics::of(&outcome.grid, &image), Statistics::of_image(&image));
    let difference = ours.difference(&theirs);
    Ok(format!(
        "{}\nfurthest apart: proportions {}, variograms {} of the sill, connectivities {}\n{order}\npictures and result: {}",
        table(&ours, &theirs).to_text(),
        short(difference.proportion),
        short(difference.variogram),
        short(difference.connectivity),
        out.display()
    ))
}

fn table(ours: &Statistics, theirs: &Statistics) -> Table {
    let mut table = Table::new(["value", "of", "", "distance", "result", "training image"]);
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

/// Pictures of the grid while it is simulated.
#[derive(Debug, Clone)]
pub(super) struct Progressing {
    out: PathBuf,
    range: (f32, f32),
    width: usize,
    /// Per cent that were simulated when the last picture was drawn.
    shown: usize,
}

impl Progressing {
    /// Draws the grid if it has got further; `views` are the parts of it, in order. WHY a picture that cannot be written stops nothing: it
    /// is only looked at, and writing the result will say why.
    pub(super) fn show(&mut self, views: &[Vec<f32>]) {
        let nodes = views.iter().flatten().count();
        let informed = views.iter().flatten().filter(|value| !value.is_nan()).count();
        let percent = informed * 100 / nodes.max(1) / EVERY_PERCENT * EVERY_PERCENT;
        if percent > self.shown && nodes % self.width == 0 {
            self.shown = percent;
            let field = Field::new(self.width, views.concat());
            let _ =
                png_image::write(&self.out.join(format!("{percent:03}.png")), &field, self.range);
        }
    }
}
