//! Charts of bars in groups.

use super::legend::{Area, AreaError, colour_of, draw_beside};
use crate::error::BenchError;
use plotters::prelude::*;
use std::path::Path;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) y_title: &'static str,
    /// Names of the groups, from left to right.
    pub(crate) groups: Vec<String>,
    /// Names, and a value for each group; nothing is drawn where there is none.
    pub(crate) series: Vec<(String, Vec<Option<f64>>)>,
}

/// The part of a group's width that has bars.
const FILLED: f64 = 0.8;

impl Bars {
    /// Draws into an SVG file.
    pub(crate) fn draw(&self, path: &Path) -> Result<(), BenchError> {
        let names = self.series.iter().map(|(name, _)| &**name);
        draw_beside(names, path, |area| self.draw_into(area))
    }

    fn draw_into(&self, area: &Area<'_>) -> Result<(), AreaError> {
        let right = self.groups.len() as f64 - 0.5;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(-0.5..right.max(0.5), 0.0..self.top())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(self.groups.len() * 2 + 1)
            .x_label_formatter(&|x| self.group_at(*x))
            .y_label_formatter(&|y| crate::table::short(*y))
            .y_desc(self.y_title)
            .draw()?;
        for index in 0..self.series.len() {
            let colour = colour_of(index);
            let bars = self.bars(index).map(|corners| Rectangle::new(corners, colour.filled()));
            chart.draw_series(bars)?;
        }
        Ok(())
    }

    /// Corners of the bars of a series.
    fn bars(&self, index: usize) -> impl Iterator<Item = [(f64, f64); 2]> + '_ {
        let width = FILLED / self.series.len() as f64;
        let from_middle = index as f64 * width - FILLED / 2.0;
        let values = self.series[index].1.iter().enumerate();
        values.filter_map(move |(group, value)| {
            let left = group as f64 + from_middle;
            Some([(left, 0.0), (left + width * 0.95, (*value)?)])
        })
    }

    /// The name below a mark of the x axis; nothing between groups.
    fn group_at(&self, x: f64) -> String {
        let is_middle = (x - x.round()).abs() < 0.01 && x.round() >= 0.0;
        let name = is_middle.then(|| self.groups.get(x.round() as usize)).flatten();
        name.cloned().unwrap_or_default()
    }

    /// The end of the y axis.
    fn top(&self) -> f64 {
        let values = self.series.iter().flat_map(|(_, values)| values).flatten();
        let highest = values.copied().fold(0.0, f64::max);
        if highest > 0.0 { highest * 1.1 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_side_by_side_and_what_is_missing_is_not_drawn() {
        let bars = Bars {
            title: "lines".to_owned(),
            y_title: "lines of code",
            groups: vec!["cpu".to_owned(), "kernel".to_owned()],
            series: vec![
                ("logic".to_owned(), vec![Some(10.0), Some(20.0)]),
                ("rest".to_owned(), vec![None, Some(5.0)]),
            ],
        };
        let of = |index| bars.bars(index).collect::<Vec<_>>();
        assert_eq!((of(0).len(), of(1).len()), (2, 1));
        assert!(of(0)[1][1].0 <= of(1)[0][0].0 && of(1)[0][1].1 == 5.0, "{:?}", of(1));
        assert_eq!(
            (bars.top(), bars.group_at(1.0), bars.group_at(0.5)),
            (22.0, "kernel".into(), String::new())
        );
        let path = std::env::temp_dir().join(format!("odeon-bars-{}.svg", std::process::id()));
        bars.draw(&path).expect("it can be drawn");
        let svg = std::fs::read_to_string(&path).expect("it was written");
        assert!(
            svg.starts_with("<svg") && svg.contains("kernel") && svg.contains("logic"),
            "{svg}"
        );
        std::fs::remove_file(&path).expect("it is ours");
    }
}
