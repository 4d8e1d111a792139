//! Points like those of STAMP's generator: centres anywhere in the unit cube, points close to one
//! of them that is drawn for each.

use super::Points;
use odeon_example_run::SplitMix64;
use std::f64::consts::TAU;

/// So many points around so many centres; the same for the same seed.
pub fn generate(rows: usize, dims: usize, centres: usize, seed: u64) -> Points {
    let mut random = SplitMix64::new(seed);
    let around: Vec<f64> = (0..centres * dims).map(|_| fraction(&mut random)).collect();
    // As STAMP has it: the more centres, the closer are points to theirs.
    let deviation = (1.0 / centres as f64).powi(3);
    let mut values = Vec::with_capacity(rows * dims);
    for _ in 0..rows {
        let centre = (random.next() % centres as u64) as usize * dims;
        let centre = &around[centre..centre + dims];
        values.extend(centre.iter().map(|at| (at + normal(&mut random) * deviation) as f32));
    }
    Points::new(dims, values)
}

/// From 0 up to 1.
pub fn fraction(random: &mut SplitMix64) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Of the normal distribution: Box and Muller's method.
pub fn normal(random: &mut SplitMix64) -> f64 {
    let (radius, angle) = (1.0 - fraction(random), fraction(random));
    (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_close_to_their_centres_and_the_same_for_a_seed() {
        let points = generate(2000, 3, 4, 7);
        assert_eq!(points, generate(2000, 3, 4, 7));
        assert_ne!(points, generate(2000, 3, 4, 8));
        assert_eq!((points.rows(), points.dims()), (2000, 3));
        // Six deviations in each dimension: all of one cluster are within that of any of them.
        let mut found: Vec<&[f32]> = Vec::new();
        for row in 0..points.rows() {
            let point = points.row(row);
            let near = |other: &&[f32]| {
                other.iter().zip(point).all(|(x, y)| (x - y).abs() < 12.0 * (1.0_f32 / 4.0).powi(3))
            };
            if !found.iter().any(near) {
                found.push(point);
            }
        }
        assert!((2..=4).contains(&found.len()), "{} clusters", found.len());
    }

    #[test]
    fn the_normal_distribution_is_one() {
        let mut random = SplitMix64::new(1);
        let drawn: Vec<f64> = (0..100_000).map(|_| normal(&mut random)).collect();
        let mean = drawn.iter().sum::<f64>() / 1e5;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
        let within = drawn.iter().filter(|x| x.abs() < 1.0).count() as f64 / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        assert!((within - 0.6827).abs() < 0.01, "{within}");
    }
}
