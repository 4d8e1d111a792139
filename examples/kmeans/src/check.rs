//! Whether an outcome is right.
//!
//! WHY not by the reference's rounds and members: each sum that is rounded another way moves a
//! centre by what an `f32` cannot say, a point between two centres goes to the other one, and where
//! clusters are not apart that decides after how many rounds points stay, and sometimes where. So
//! an outcome is held to what each round promises, with the errors that rounding can make and no
//! others: each point has the closest of the centres with which the round began, each centre is the
//! mean of its points, and rounds end where points stay. Only how close the points are to their
//! centres in the end is compared with the reference.

use super::{Clusters, Points, Stop};
use odeon_example_run::RunError;

/// How a way to do the rounds adds up, which decides how far a mean may be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// As cores do: in `f64`.
    Cores,
    /// As devices do: in `f32`, in blocks whose sums are added up by `FAN`.
    Devices,
}

/// Points that a device adds up one by one, if there are few centres: the largest block of the
/// ways.
const BLOCK: usize = 128;

/// As many for each centre, if there are many.
const BLOCK_PER_CENTRE: usize = 4;

/// Sums of blocks that a device adds up one by one, and so on with what comes out.
const FAN: usize = 64;

/// TUNE: guessed 2026-11: how much larger the sum of squared distances may be than the reference's.
/// Rounding may lead to other clusters, which are as good but for less than that; the worst of
/// another seed's first centres are further off.
const WORSE: f64 = 1.001;

impl Tolerance {
    /// How far the mean of some of so many values may be off, as a share of the largest.
    ///
    /// Each addition is off by at most half an [`f32::EPSILON`] of the sum so far, and a value goes
    /// through as many of them, one after the other, as a block has points and each level above it
    /// has sums: so much of all the values, divided by their number. Last, the mean itself is
    /// rounded. WHY not half of that: a bound without any margin would know the order of all
    /// additions.
    fn of_means(self, rows: usize, centres: usize) -> f64 {
        let additions = match self {
            Self::Cores => 0,
            Self::Devices => {
                let mut additions = BLOCK.max(BLOCK_PER_CENTRE * centres);
                let mut sums = rows.div_ceil(additions);
                while sums > 1 {
                    additions += FAN;
                    sums = sums.div_ceil(FAN);
                }
                additions
            }
        };
        (additions + 1) as f64 * f64::from(f32::EPSILON)
    }
}

/// Whether that may have come out of these rounds; `expected` is what has come out of plain
/// sequential ones.
///
/// # Errors
/// If it may not, with what is wrong.
pub fn check(
    points: &Points,
    found: &Clusters,
    expected: &Clusters,
    stop: Stop,
    within: Tolerance,
) -> Result<(), RunError> {
    let is_right = || {
        has_shape(points, found, expected, stop)?;
        has_closest(points, found)?;
        let spread = Spread::of(points);
        let off = within.of_means(points.rows(), found.centres.count());
        let counts = has_means(points, found, &spread, off)?;
        stays(points, found, &counts, stop, &spread, off)?;
        is_as_close(points, found, expected, &spread, off)
    };
    is_right().map_err(RunError::WrongResult)
}

fn has_shape(
    points: &Points,
    found: &Clusters,
    expected: &Clusters,
    stop: Stop,
) -> Result<(), String> {
    let ends_by_itself = matches!(stop, Stop::Changes(_));
    if !ends_by_itself && found.rounds != expected.rounds {
        return Err(format!("{} rounds instead of {}", found.rounds, expected.rounds));
    }
    if ends_by_itself && !(1..=Stop::MOST_ROUNDS).contains(&found.rounds) {
        let most = Stop::MOST_ROUNDS;
        return Err(format!("{} rounds where there are 1 to {most}", found.rounds));
    }
    if found.members.len() != points.rows() {
        return Err(format!("{} points instead of {}", found.members.len(), points.rows()));
    }
    let (count, values) = (expected.centres.count(), expected.centres.values().len());
    for centres in [&found.by, &found.centres] {
        if centres.values().len() != values {
            return Err(format!("{} values of centres, not {values}", centres.values().len()));
        }
        if let Some(value) = centres.values().iter().find(|value| !value.is_finite()) {
            return Err(format!("a centre is at {value}"));
        }
    }
    let mut members = found.members.iter().enumerate();
    match members.find(|(_, member)| **member as usize >= count) {
        Some((row, member)) => Err(format!("point {row} has centre {member} of {count}")),
        None => Ok(()),
    }
}

/// Whether no other centre is closer to a point than its own, but for what an `f32` cannot tell
/// apart.
///
/// Of a distance each difference, its square, and each of the additions is off by at most half an
/// [`f32::EPSILON`], of both distances that are compared; squares that are smaller than all normal
/// numbers may be nothing at all.
fn has_closest(points: &Points, found: &Clusters) -> Result<(), String> {
    let more = 1.0 + (points.dims() + 4) as f64 * f64::from(f32::EPSILON);
    let nothing = 2.0 * points.dims() as f64 * f64::from(f32::MIN_POSITIVE);
    for (row, &member) in found.members.iter().enumerate() {
        let at = points.row(row);
        let own = square(at, found.by.row(member as usize));
        let is_closer = |centre: &usize| own > square(at, found.by.row(*centre)) * more + nothing;
        if let Some(closer) = (0..found.by.count()).find(is_closer) {
            return Err(format!("point {row} has centre {member}, and centre {closer} is closer"));
        }
    }
    Ok(())
}

/// Whether each centre is the mean of its points, or stays if it has none; how many it has.
fn has_means(
    points: &Points,
    found: &Clusters,
    spread: &Spread,
    off: f64,
) -> Result<Vec<usize>, String> {
    let (dims, count) = (points.dims(), found.centres.count());
    let (mut sums, mut counts) = (vec![0.0_f64; count * dims], vec![0_usize; count]);
    for (row, &member) in found.members.iter().enumerate() {
        let member = member as usize;
        counts[member] += 1;
        let sums = sums[member * dims..(member + 1) * dims].iter_mut();
        sums.zip(points.row(row)).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    for (at, &value) in found.centres.values().iter().enumerate() {
        let (centre, dim) = (at / dims, at % dims);
        let (mean, off) = match counts[centre] {
            0 => (f64::from(found.by.values()[at]), 0.0),
            count => (sums[at] / count as f64, spread.largest[dim] * off),
        };
        // What a subnormal value loses when it is rounded.
        let off = off + f64::from(f32::MIN_POSITIVE);
        if (f64::from(value) - mean).abs() > off {
            let whose = "the mean of its points";
            return Err(format!("centre {centre} is at {value} where {whose} is {mean:.9}"));
        }
    }
    Ok(counts)
}

/// Whether rounds that end by themselves have not ended too early.
///
/// A point that has got another centre moves the means of two by at most the width of all points,
/// divided by how many these have. So as few as may have done so in the last round move all
/// together no further than that, and rounding.
fn stays(
    points: &Points,
    found: &Clusters,
    counts: &[usize],
    stop: Stop,
    spread: &Spread,
    off: f64,
) -> Result<(), String> {
    let Stop::Changes(ppm) = stop else { return Ok(()) };
    if found.rounds == Stop::MOST_ROUNDS {
        return Ok(());
    }
    let (dims, rows) = (points.dims(), points.rows());
    let changed = (u128::from(ppm) * rows as u128 / 1_000_000) as f64;
    let mut moved = vec![0.0_f64; dims];
    for (at, (from, to)) in found.by.values().iter().zip(found.centres.values()).enumerate() {
        moved[at % dims] += counts[at / dims] as f64 * (f64::from(*to) - f64::from(*from)).abs();
    }
    let is_too_far = |dim: &usize| {
        let rounding = rows as f64 * (spread.largest[*dim] * off + f64::from(f32::MIN_POSITIVE));
        moved[*dim] > 2.0 * (changed * spread.width[*dim] + rounding)
    };
    match (0..dims).find(is_too_far) {
        Some(_) => Err(format!("centres still move after {} rounds, the last", found.rounds)),
        None => Ok(()),
    }
}

/// Whether points are about as close to their centres as the reference's. A centre that is off the
/// mean adds the square of that for each of its points.
fn is_as_close(
    points: &Points,
    found: &Clusters,
    expected: &Clusters,
    spread: &Spread,
    off: f64,
) -> Result<(), String> {
    let sum = |clusters: &Clusters| -> f64 {
        let members = clusters.members.iter().map(|member| clusters.centres.row(*member as usize));
        members.enumerate().map(|(row, centre)| square(points.row(row), centre)).sum()
    };
    let rounding: f64 = spread.largest.iter().map(|largest| (largest * off).powi(2)).sum();
    let [found, expected] = [found, expected].map(sum);
    if found > expected * WORSE + points.rows() as f64 * rounding {
        let what = "squared distances of points from their centres";
        return Err(format!("{what} sum up to {found:.6}, not {expected:.6}"));
    }
    Ok(())
}

fn square(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum()
}

/// Of each dimension, over all points.
struct Spread {
    /// The largest value, whatever its sign.
    largest: Vec<f64>,
    /// From the least value to the greatest.
    width: Vec<f64>,
}

impl Spread {
    fn of(points: &Points) -> Self {
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let mut ends = vec![nothing; points.dims()];
        for row in 0..points.rows() {
            for ((least, most), value) in ends.iter_mut().zip(points.row(row)) {
                let value = f64::from(*value);
                (*least, *most) = (least.min(value), most.max(value));
            }
        }
        Self {
            largest: ends.iter().map(|(least, most)| least.abs().max(most.abs())).collect(),
            width: ends.iter().map(|(least, most)| most - least).collect(),
        }
    }
}
