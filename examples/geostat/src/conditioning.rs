//! What is known of the grid before: a file with a line `x y value` for each of some points.

use super::gslib::{NO_VALUE, read_text};
use super::training_image::{Field, TrainingImage, ValueKind};
use odeon_example_run::RunError;
use std::path::Path;

/// A point of the grid with the value that it has and keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Datum {
    /// Its column, from 0.
    pub x: usize,
    /// Its row, from 0.
    pub y: usize,
    /// What it is.
    pub value: f32,
}

/// Reads the points of a file; empty lines and what follows a `#` are passed over. It may be
/// compressed by gzip.
///
/// # Errors
/// If the file cannot be read, or a line is not a point; the message names the line.
pub fn read(path: &Path) -> Result<Vec<Datum>, RunError> {
    let text = read_text(path).map_err(|source| RunError::file(path, source))?;
    parse(&text).map_err(|problem| refused(path, &problem))
}

fn parse(text: &str) -> Result<Vec<Datum>, String> {
    let mut data = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let datum = match words[..] {
            [] => continue,
            [x, y, value] => (x.parse(), y.parse(), value.parse::<f32>()),
            _ => return Err(format!("line {}: a point is 'x y value'", index + 1)),
        };
        match datum {
            // Nothing is known there.
            (Ok::<usize, _>(_), Ok::<usize, _>(_), Ok(value)) if value == NO_VALUE => {}
            (Ok(x), Ok(y), Ok(value)) if value.is_finite() => data.push(Datum { x, y, value }),
            _ => return Err(format!("line {}: '{}' is no point", index + 1, line.trim())),
        }
    }
    Ok(data)
}

/// Puts the points into an empty grid.
///
/// # Errors
/// If a point lies outside, is there twice with different values, or has a value that no node of
/// the image has although these are categories.
pub fn place(data: &[Datum], grid: &mut Field, image: &TrainingImage) -> Result<(), String> {
    let (width, height) = (grid.width(), grid.height());
    for Datum { x, y, value } in data {
        if *x >= width || *y >= height {
            return Err(format!("{x} {y} lies outside of the {width} x {height} grid"));
        }
        if let ValueKind::Categorical(known) = image.kind() {
            if !known.contains(value) {
                return Err(format!("{x} {y}: the training image has no value {value}"));
            }
        }
        let node = &mut grid.values_mut()[y * width + x];
        if !node.is_nan() && node != value {
            return Err(format!("{x} {y} is there twice, as {node} and {value}"));
        }
        *node = *value;
    }
    Ok(())
}

/// Reads the points of a file and puts them into an empty grid.
///
/// # Errors
/// As [`read`] and [`place`].
pub fn load(path: &Path, grid: &mut Field, image: &TrainingImage) -> Result<(), RunError> {
    place(&read(path)?, grid, image).map_err(|problem| refused(path, &problem))
}

fn refused(path: &Path, problem: &str) -> RunError {
    RunError::bad_argument("--conditioning", format!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels;

    #[test]
    fn points_comments_and_empty_lines() {
        let data = parse("# wells\n\n 3 4 1 # sand\n0 0 0.5\n").expect("two points");
        let expected = [Datum { x: 3, y: 4, value: 1.0 }, Datum { x: 0, y: 0, value: 0.5 }];
        assert_eq!(data, expected);
        assert_eq!(parse("1 2 -9999999.0\n").expect("nothing is known"), []);
        assert_eq!(parse("1 2\n").unwrap_err(), "line 1: a point is 'x y value'");
        assert_eq!(parse("1 2 3\n1 -2 3\n").unwrap_err(), "line 2: '1 -2 3' is no point");
        assert_eq!(parse("1 2 NaN\n").unwrap_err(), "line 1: '1 2 NaN' is no point");
    }

    #[test]
    fn points_must_fit_grid_and_image() {
        let image = channels::generate(20, 20, 1);
        let placed = |data: &[(usize, usize, f32)]| {
            let data: Vec<Datum> =
                data.iter().map(|&(x, y, value)| Datum { x, y, value }).collect();
            let mut grid = Field::empty(5, 4);
            place(&data, &mut grid, &image).map(|()| grid)
        };
        let grid = placed(&[(4, 3, 1.0), (0, 1, 0.0), (4, 3, 1.0)]).expect("they fit");
        assert_eq!((grid.at(4, 3), grid.at(0, 1)), (1.0, 0.0));
        assert_eq!(grid.values().iter().filter(|value| value.is_nan()).count(), 18);
        assert_eq!(placed(&[(5, 0, 1.0)]).unwrap_err(), "5 0 lies outside of the 5 x 4 grid");
        assert_eq!(placed(&[(0, 4, 1.0)]).unwrap_err(), "0 4 lies outside of the 5 x 4 grid");
        assert_eq!(placed(&[(0, 0, 0.5)]).unwrap_err(), "0 0: the training image has no value 0.5");
        let twice = placed(&[(1, 1, 0.0), (1, 1, 1.0)]).unwrap_err();
        assert_eq!(twice, "1 1 is there twice, as 0 and 1");
    }
}
