//! Pictures of the training image, of the result, and of what a log actor has seen of it meanwhile;
//! and the result as GSLIB.

use super::running::SimulationRun;
use crate::statistics::Statistics;
use crate::training_image::Field;
use crate::{gslib, png_image};
use odeon_example_run::RunError;
use std::path::{Path, PathBuf};

/// Pictures of the grid on its way: when so many per cent more of the points are simulated.
const EVERY_PERCENT: usize = 10;

/// Up to so many points it is looked for a serial order, which takes some 300 bytes for each.
const MOST_CHECKED: usize = 4_000_000;

/// What was drawn.
pub struct Drawn {
    /// Of the result.
    pub result: Statistics,
    /// Of the training image.
    pub image: Statistics,
    /// Whether one thread could have made the result, in words.
    pub order: String,
}

/// A run, with its pictures written into the folder `out`, which is there.
///
/// # Errors
/// As [`SimulationRun::simulate`]; if a file cannot be written.
pub fn draw(run: SimulationRun, out: &Path) -> Result<Drawn, RunError> {
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

    let (result, image) = (Statistics::of(&outcome.grid, &image), Statistics::of_image(&image));
    Ok(Drawn { result, image, order })
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
    /// Draws the grid if it has got further; `views` are the parts of it, in order. WHY a picture
    /// that cannot be written stops nothing: it is only looked at, and writing the result will say
    /// why.
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
