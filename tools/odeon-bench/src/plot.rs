//! Results as a chart: medians as lines, every sample as a dot, on a logarithmic axis.

#[cfg(feature = "devices")]
mod bars;
mod legend;
mod lines;

#[cfg(feature = "devices")]
pub(crate) use bars::Bars;
pub use lines::{Axis, Lines};

use crate::error::BenchError;
use crate::parameter::Value;
use crate::report::swept_parameters;
use crate::runner::{CaseOutcome, Results};
use legend::{Area, AreaError, colour_of, draw_beside};
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (960, 600);

/// Colours that stay apart for colour-blind readers (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

/// Draws the results of one workload into an SVG file.
pub fn draw(results: &Results, path: &Path) -> Result<(), BenchError> {
    Chart::new(results).draw(path)
}

/// What is drawn, before anything is.
#[derive(Debug, PartialEq)]
struct Chart {
    title: String,
    x_title: String,
    y_title: String,
    /// Labels of the positions on the x axis.
    positions: Vec<String>,
    /// Whether one position comes after the other, so that a line leads from one to the next.
    has_order: bool,
    series: Vec<Series>,
}

#[derive(Debug, PartialEq)]
struct Series {
    name: String,
    /// Position on the x axis, median, samples.
    points: Vec<(usize, f64, Vec<f64>)>,
}

impl Chart {
    /// The number with the most values becomes the x axis, or the word if no number has several;
    /// every combination of the others and the implementation a series. Without a sweep the
    /// implementations stand side by side.
    fn new(results: &Results) -> Self {
        let about = results.0.first().map(|first| first.case.workload);
        let swept = swept_parameters(results);
        let rank = |name: &&str| (is_number(results, name), values(results, name).len());
        let x_parameter = swept.iter().copied().max_by_key(rank);
        let mut chart = Self {
            title: about.map_or_else(String::new, |about| about.name.to_owned()),
            x_title: x_parameter.unwrap_or("implementation").replace('_', " "),
            y_title: format!("ns per {}", about.map_or("op", |about| about.operation)),
            positions: Vec::new(),
            has_order: x_parameter.is_some_and(|x| is_number(results, x)),
            series: Vec::new(),
        };
        match x_parameter {
            Some(x) => chart.positions = values(results, x),
            None => chart.positions = implementations(results),
        }
        for outcome in &results.0 {
            let params = &outcome.case.params;
            let name = series_name(outcome, &swept, x_parameter);
            let at: Vec<usize> = match x_parameter {
                None => positions_of(&chart.positions, outcome.case.contender.implementation()),
                Some(x) => match params.get(x) {
                    Some(value) => positions_of(&chart.positions, &value.to_string()),
                    // A floor that the swept parameter does not change is a level line.
                    None => (0..chart.positions.len()).collect(),
                },
            };
            for position in at {
                chart.add(&name, position, outcome);
            }
        }
        chart
    }

    fn add(&mut self, name: &str, position: usize, outcome: &CaseOutcome) {
        let samples = outcome.samples.ns_per_op.clone();
        let point = (position, outcome.samples.median(), samples);
        match self.series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => self.series.push(Series { name: name.to_owned(), points: vec![point] }),
        }
    }

    fn draw(&self, path: &Path) -> Result<(), BenchError> {
        draw_beside(self.series.iter().map(|series| &*series.name), path, |area| {
            self.draw_into(area)
        })
    }

    fn draw_into(&self, area: &Area<'_>) -> Result<(), AreaError> {
        let samples = || self.series.iter().flat_map(|series| &series.points).flat_map(|p| &p.2);
        // Whole decades, so that the marks on the axis are the same on every chart.
        let low = decade(samples().copied().fold(f64::INFINITY, f64::min), f64::floor);
        let high = decade(samples().copied().fold(0.0, f64::max), f64::ceil).max(low * 10.0);
        let right = self.positions.len() as f64 - 0.5;

        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 24))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(-0.5..right, (low..high).log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(self.positions.len() * 2 + 1)
            .x_label_formatter(&|x| self.label_at(*x))
            .y_label_formatter(&|y| crate::table::short(*y))
            .x_desc(&self.x_title)
            .y_desc(&self.y_title)
            .draw()?;
        for (index, series) in self.series.iter().enumerate() {
            let colour = colour_of(index);
            let medians: Vec<(f64, f64)> =
                series.points.iter().map(|(x, median, _)| (*x as f64, *median)).collect();
            let dots = series.points.iter().flat_map(|(x, _, samples)| {
                samples
                    .iter()
                    .map(move |y| Circle::new((*x as f64, *y), 2, colour.mix(0.4).filled()))
            });
            chart.draw_series(dots)?;
            chart.draw_series(medians.iter().map(|at| Circle::new(*at, 4, colour.filled())))?;
            if self.has_order {
                chart.draw_series([PathElement::new(medians, colour.stroke_width(2))])?;
            }
        }
        Ok(())
    }

    /// Only whole positions carry labels.
    fn label_at(&self, x: f64) -> String {
        let nearest = x.round();
        let at = (nearest >= 0.0 && (x - nearest).abs() < 0.01).then_some(nearest as usize);
        at.and_then(|at| self.positions.get(at)).cloned().unwrap_or_default()
    }
}

/// The power of ten below or above a time; nothing is faster than 0.01 ns.
fn decade(ns: f64, round: fn(f64) -> f64) -> f64 {
    10_f64.powf(round(ns.clamp(0.01, 1e12).log10()))
}

fn positions_of(positions: &[String], label: &str) -> Vec<usize> {
    positions.iter().position(|known| known == label).into_iter().collect()
}

fn series_name(outcome: &CaseOutcome, swept: &[&str], x_parameter: Option<&str>) -> String {
    let mut name = outcome.case.contender.implementation().to_owned();
    for parameter in swept.iter().filter(|name| Some(**name) != x_parameter) {
        if let Some(value) = outcome.case.params.get(parameter) {
            name += &format!(" {parameter}={value}");
        }
    }
    name
}

fn is_number(results: &Results, parameter: &str) -> bool {
    let value = results.0.iter().find_map(|outcome| outcome.case.params.get(parameter));
    matches!(value, Some(Value::Number(_)))
}

fn values(results: &Results, parameter: &str) -> Vec<String> {
    let values = results.0.iter().filter_map(|outcome| outcome.case.params.get(parameter));
    distinct(values.map(|value| value.to_string()))
}

fn implementations(results: &Results) -> Vec<String> {
    distinct(results.0.iter().map(|o| o.case.contender.implementation().to_owned()))
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Value;
    use crate::runner::{Case, Contender};
    use crate::samples::Samples;
    use crate::workload::Variant;

    fn outcome(contender: Contender, list_actors: u64, workload: &'static str) -> CaseOutcome {
        let list = crate::workloads::find("list").expect("list is a workload");
        let params = list
            .defaults()
            .with("list_actors", Value::Number(list_actors))
            .with("workload", Value::Word(workload));
        let ns_per_op = vec![100.0 * list_actors as f64, 120.0];
        let samples = Samples { ops: 10, ns_per_op, ..Samples::default() };
        CaseOutcome { case: Case { workload: list, contender, params }, samples }
    }

    fn sweep() -> Results {
        let mut outcomes = Vec::new();
        for workload in ["read", "write"] {
            for list_actors in [1, 8, 32] {
                let odeon = Contender::Odeon(Variant::Pool);
                outcomes.push(outcome(odeon, list_actors, workload));
                outcomes.push(outcome(Contender::Floor, list_actors, workload));
            }
        }
        Results(outcomes)
    }

    #[test]
    fn the_longest_sweep_is_the_x_axis() {
        let chart = Chart::new(&sweep());
        assert_eq!(chart.x_title, "list actors");
        assert!(chart.has_order && chart.positions == ["1", "8", "32"], "{chart:?}");
        assert_eq!(chart.series.len(), 4);
        assert_eq!(chart.series[0].name, "odeon-pool workload=read");
        assert_eq!(chart.series[0].points.len(), 3);
    }

    #[test]
    fn a_number_is_the_x_axis_even_if_a_word_has_more_values_and_no_line_joins_words() {
        let odeon = || Contender::Odeon(Variant::Pool);
        let mixes = ["read", "write", "mixed"];
        let of = |actors| mixes.map(|mix| outcome(odeon(), actors, mix));
        let both = Chart::new(&Results(of(1).into_iter().chain(of(8)).collect()));
        assert!(both.has_order && both.x_title == "list actors", "{both:?}");
        let words = Chart::new(&Results(of(1).into()));
        assert!(!words.has_order && words.positions == mixes, "{words:?}");
    }

    #[test]
    fn without_a_sweep_implementations_stand_side_by_side() {
        let odeon = outcome(Contender::Odeon(Variant::Pool), 1, "read");
        let results = Results(vec![odeon, outcome(Contender::Floor, 1, "read")]);
        let chart = Chart::new(&results);
        assert!(!chart.has_order && chart.positions == ["odeon-pool", "floor"], "{chart:?}");
        assert_eq!(chart.series[1].points[0].0, 1);
    }

    #[test]
    fn the_file_is_an_svg_with_the_names() {
        let path = std::env::temp_dir().join(format!("odeon-plot-{}.svg", std::process::id()));
        draw(&sweep(), &path).expect("it can be drawn");
        let svg = std::fs::read_to_string(&path).expect("it was written");
        let _ = std::fs::remove_file(&path);
        assert!(svg.starts_with("<svg") && svg.contains("odeon-pool workload=write"));
    }
}
