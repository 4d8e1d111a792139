//! Charts of lines through points.

use super::legend::{Area, AreaError, colour_of, draw_beside};
use crate::error::BenchError;
use plotters::prelude::*;
use std::path::Path;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    /// Whether the y axis counts powers of ten; points at 0 are then not drawn.
    pub(crate) is_logarithmic: bool,
    /// Names and points, in the order of their x.
    pub(crate) series: Vec<(String, Vec<(f64, f64)>)>,
}

impl Lines {
    /// Draws into an SVG file.
    pub(crate) fn draw(&self, path: &Path) -> Result<(), BenchError> {
        let names = self.series.iter().map(|(name, _)| &**name);
        draw_beside(names, path, |area| self.draw_into(area))
    }

    fn draw_into(&self, area: &Area<'_>) -> Result<(), AreaError> {
        let (right, low, high) = self.extent();
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..right, low..high)?;
        chart
            .configure_mesh()
            .x_label_formatter(&|x| crate::table::short(*x))
            .y_label_formatter(&|y| crate::table::short(self.value_at(*y)))
            .x_desc(self.x_title)
            .y_desc(self.y_title)
            .draw()?;
        for (index, (_, points)) in self.series.iter().enumerate() {
            let colour = colour_of(index);
            let points: Vec<(f64, f64)> =
                points.iter().filter_map(|(x, y)| Some((*x, self.height_of(*y)?))).collect();
            let marks = points.iter().map(|at| Circle::new(*at, 3, colour.filled()));
            chart.draw_series(marks)?;
            chart.draw_series([PathElement::new(points, colour.stroke_width(2))])?;
        }
        Ok(())
    }

    /// Where a value stands on the y axis; `None` if it has no place there.
    fn height_of(&self, y: f64) -> Option<f64> {
        if self.is_logarithmic { (y > 0.0).then(|| y.log10()) } else { Some(y) }
    }

    fn value_at(&self, height: f64) -> f64 {
        if self.is_logarithmic { 10_f64.powf(height) } else { height }
    }

    /// The right end of the x axis, and both ends of the y axis; never empty.
    fn extent(&self) -> (f64, f64, f64) {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let right = points().map(|(x, _)| *x).fold(0.0, f64::max);
        let heights = || points().filter_map(|(_, y)| self.height_of(*y));
        let lowest = heights().fold(f64::INFINITY, f64::min);
        let highest = heights().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = match self.is_logarithmic {
            _ if lowest > highest => (0.0, 1.0),
            // Whole decades.
            true => (lowest.floor(), highest.ceil()),
            false => (0.0, highest * 1.1),
        };
        let right = if right > 0.0 { right * 1.05 } else { 1.0 };
        (right, low, if high > low { high } else { low + 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(is_logarithmic: bool, points: &[(f64, f64)]) -> Lines {
        Lines {
            title: "a title".to_owned(),
            x_title: "seconds",
            y_title: "messages",
            is_logarithmic,
            series: vec![("a series".to_owned(), points.to_vec())],
        }
    }

    #[test]
    fn axes_hold_all_points_and_are_never_empty() {
        assert_eq!(lines(false, &[(1.0, 5.0), (2.0, 10.0)]).extent(), (2.1, 0.0, 11.0));
        assert_eq!(lines(true, &[(2.0, 0.03), (2.0, 50.0), (2.0, 0.0)]).extent(), (2.1, -2.0, 2.0));
        for is_logarithmic in [false, true] {
            assert_eq!(lines(is_logarithmic, &[]).extent(), (1.0, 0.0, 1.0));
            assert_eq!(lines(is_logarithmic, &[(0.0, 0.0)]).extent(), (1.0, 0.0, 1.0));
        }
        assert_eq!(lines(true, &[(1.0, 10.0)]).extent(), (1.05, 1.0, 2.0));
    }

    #[test]
    fn the_file_is_an_svg_with_the_names() {
        let path = std::env::temp_dir().join(format!("odeon-lines-{}.svg", std::process::id()));
        for is_logarithmic in [false, true] {
            let lines = lines(is_logarithmic, &[(0.0, 0.0), (1.0, 5.0), (2.0, 50.0)]);
            lines.draw(&path).expect("it can be drawn");
            let svg = std::fs::read_to_string(&path).expect("it was written");
            assert!(svg.starts_with("<svg") && svg.contains("a series"), "{svg}");
        }
        let _ = std::fs::remove_file(&path);
    }
}
