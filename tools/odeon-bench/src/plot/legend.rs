//! What the series of a chart are called: beside it, where it covers nothing.

use super::{COLOURS, SIZE};
use crate::error::BenchError;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type AreaError = DrawingAreaErrorKind<std::io::Error>;

/// Of a line, in pixels.
const HEIGHT: i32 = 22;
const LETTERS: u32 = 15;

/// Draws a chart into an SVG file, and beside it the names of its series in their order.
pub(super) fn draw_beside<'n>(
    names: impl Iterator<Item = &'n str>,
    path: &Path,
    chart: impl FnOnce(&Area<'_>) -> Result<(), AreaError>,
) -> Result<(), BenchError> {
    let names: Vec<&str> = names.collect();
    let all = SVGBackend::new(path, (SIZE.0 + width(&names), SIZE.1)).into_drawing_area();
    let drawn = all.fill(&WHITE).and_then(|()| {
        let (left, right) = all.split_horizontally(SIZE.0);
        chart(&left)?;
        write(&right, &names)?;
        all.present()
    });
    drawn.map_err(|error| BenchError::Beside(format!("the plot could not be drawn: {error}")))
}

/// How wide the names are. WHY by their letters: how wide these are the browser decides that shows
/// them.
fn width(names: &[&str]) -> u32 {
    let letters = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as u32;
    40 + letters * LETTERS * 6 / 10
}

fn write(area: &Area<'_>, names: &[&str]) -> Result<(), AreaError> {
    for (index, name) in names.iter().enumerate() {
        let (colour, top) = (colour_of(index), 48 + index as i32 * HEIGHT);
        area.draw(&Rectangle::new([(4, top), (20, top + 10)], colour.filled()))?;
        let style = ("sans-serif", LETTERS as i32);
        area.draw(&Text::new((*name).to_owned(), (26, top - 2), style))?;
    }
    Ok(())
}

/// That of a series, by its place.
pub(super) fn colour_of(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_to_the_right_of_the_chart() {
        let path = std::env::temp_dir().join(format!("odeon-legend-{}.svg", std::process::id()));
        let names = ["one", "another one"];
        draw_beside(names.into_iter(), &path, |area| {
            assert_eq!(area.dim_in_pixel(), SIZE);
            Ok(())
        })
        .expect("it can be drawn");
        let svg = std::fs::read_to_string(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it is ours");
        let of_text = svg.split("<text").skip(1).map(|text| {
            let at = text.split("x=\"").nth(1).expect("it has a place");
            at.split('"').next().expect("it ends").parse::<u32>().expect("a number")
        });
        let places: Vec<u32> = of_text.collect();
        assert!(places.len() == 2 && places.iter().all(|x| *x >= SIZE.0), "{places:?}");
    }
}
