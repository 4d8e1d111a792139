//! Charts of lines through points.

use super::legend::{Area, AreaError, colour_of, draw_beside};
use crate::error::BenchError;
use plotters::prelude::*;
use std::path::Path;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// Above the chart.
    pub title: String,
    /// Below the x axis.
    pub x_title: &'static str,
    /// Beside the y axis.
    pub y_title: &'static str,
    /// What the x axis counts.
    pub x: Axis,
    /// What the y axis counts.
    pub y: Axis,
    /// Names and points, in the order of their x.
    pub series: Vec<(String, Vec<(f64, f64)>)>,
}

/// What an axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Units, from 0 on.
    Linear,
    /// Powers of this; what is not above 0 is not drawn.
    Logarithmic(u32),
}

impl Axis {
    /// Powers of two.
    pub const LOG2: Self = Self::Logarithmic(2);
    /// Powers of ten.
    pub const LOG10: Self = Self::Logarithmic(10);

    /// Where a value stands; `None` if it has no place.
    fn place_of(self, value: f64) -> Option<f64> {
        match self {
            Self::Linear => Some(value),
            Self::Logarithmic(base) => (value > 0.0).then(|| value.ln() / f64::from(base).ln()),
        }
    }

    fn value_at(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Logarithmic(base) => f64::from(base).powf(place),
        }
    }

    /// Both ends, where these values stand on it and little beside them; never the same.
    fn extent(self, values: impl Iterator<Item = f64>, beside: f64) -> (f64, f64) {
        let places = values.filter_map(|value| self.place_of(value));
        let ends = |(low, high): (f64, f64), place: f64| (low.min(place), high.max(place));
        let (lowest, highest) = places.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let (low, high) = match self {
            _ if lowest > highest => (0.0, 1.0),
            // Whole powers, also where they are not quite exact.
            Self::Logarithmic(_) => ((lowest + 1e-9).floor(), (highest - 1e-9).ceil()),
            Self::Linear => (0.0, highest * beside),
        };
        (low, if high > low { high } else { low + 1.0 })
    }
}

impl Lines {
    /// Draws into an SVG file.
    pub fn draw(&self, path: &Path) -> Result<(), BenchError> {
        let names = self.series.iter().map(|(name, _)| &**name);
        draw_beside(names, path, |area| self.draw_into(area))
    }

    fn draw_into(&self, area: &Area<'_>) -> Result<(), AreaError> {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let (left, right) = self.x.extent(points().map(|(x, _)| *x), 1.05);
        let (low, high) = self.y.extent(points().map(|(_, y)| *y), 1.1);
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(left..right, low..high)?;
        chart
            .configure_mesh()
            .x_label_formatter(&|x| crate::table::short(self.x.value_at(*x)))
            .y_label_formatter(&|y| crate::table::short(self.y.value_at(*y)))
            .x_desc(self.x_title)
            .y_desc(self.y_title)
            .draw()?;
        for (index, (_, points)) in self.series.iter().enumerate() {
            let colour = colour_of(index);
            let places =
                points.iter().filter_map(|(x, y)| self.x.place_of(*x).zip(self.y.place_of(*y)));
            let points: Vec<(f64, f64)> = places.collect();
            let marks = points.iter().map(|at| Circle::new(*at, 3, colour.filled()));
            chart.draw_series(marks)?;
            chart.draw_series([PathElement::new(points, colour.stroke_width(2))])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(y: Axis, points: &[(f64, f64)]) -> Lines {
        Lines {
            title: "a title".to_owned(),
            x_title: "seconds",
            y_title: "messages",
            x: Axis::Linear,
            y,
            series: vec![("a series".to_owned(), points.to_vec())],
        }
    }

    #[test]
    fn axes_hold_all_values_and_are_never_empty() {
        let linear = |values: &[f64]| Axis::Linear.extent(values.iter().copied(), 1.5);
        let tens = |values: &[f64]| Axis::LOG10.extent(values.iter().copied(), 1.5);
        assert_eq!(linear(&[5.0, 10.0]), (0.0, 15.0));
        assert_eq!(tens(&[0.03, 50.0, 0.0]), (-2.0, 2.0));
        assert_eq!(tens(&[10.0]), (1.0, 2.0));
        assert_eq!(Axis::LOG2.extent([1.0, 64.0].into_iter(), 1.5), (0.0, 6.0));
        for values in [&[] as &[f64], &[0.0]] {
            assert_eq!((linear(values), tens(values)), ((0.0, 1.0), (0.0, 1.0)));
        }
    }

    #[test]
    fn the_file_is_an_svg_with_the_names() {
        let path = std::env::temp_dir().join(format!("odeon-lines-{}.svg", std::process::id()));
        for y in [Axis::Linear, Axis::LOG10] {
            let lines = lines(y, &[(0.0, 0.0), (1.0, 5.0), (2.0, 50.0)]);
            lines.draw(&path).expect("it can be drawn");
            let svg = std::fs::read_to_string(&path).expect("it was written");
            assert!(svg.starts_with("<svg") && svg.contains("a series"), "{svg}");
        }
        let _ = std::fs::remove_file(&path);
    }
}
