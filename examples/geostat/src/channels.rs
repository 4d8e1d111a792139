//! A training image from a seed: sinuous channels of sand in clay, as a river leaves them. It is
//! for runs without a file; its proportions are those of Strebelle's image, about 0.28 of sand.

use super::training_image::{Field, TrainingImage};
use odeon_example_run::SplitMix64;
use std::f32::consts::TAU;

/// What the channels are dug into.
pub const CLAY: f32 = 0.0;
/// What they are filled with.
pub const SAND: f32 = 1.0;

/// The share of sand at which no more channels are made.
const SAND_SHARE: f64 = 0.28;

/// From one channel to the next, in terms of the height. WHY not at random: in steps of the golden
/// ratio channels lie about as densely everywhere, and an image that is not alike everywhere has no
/// statistics that a simulation could have.
const GOLDEN: f32 = 0.618_034;

/// Channels from left to right, of 5 to 8 nodes and with bends of 60 to 130, until enough of the
/// image is sand.
///
/// # Panics
/// If an edge is 0.
pub fn generate(width: usize, height: usize, seed: u64) -> TrainingImage {
    let mut random = SplitMix64::new(seed);
    let mut field = Field::new(width, vec![CLAY; width * height]);
    let enough = (SAND_SHARE * (width * height) as f64) as usize;
    let (mut sand, mut row) = (0, Channel::between(&mut random, 0.0, 1.0));
    while sand < enough {
        sand += Channel::draw(&mut random, row * height as f32).dig(&mut field);
        row = (row + GOLDEN).fract();
    }
    TrainingImage::new(field).expect("every node has a value")
}

struct Channel {
    middle: f32,
    half_width: f32,
    /// Two waves, of which the second makes the bends differ: height, length, phase.
    waves: [(f32, f32, f32); 2],
}

impl Channel {
    fn between(random: &mut SplitMix64, low: f32, high: f32) -> f32 {
        low + (high - low) * (random.next() >> 40) as f32 / (1_u32 << 24) as f32
    }

    fn draw(random: &mut SplitMix64, middle: f32) -> Self {
        let mut between = |low, high| Self::between(random, low, high);
        Self {
            middle,
            half_width: between(2.5, 4.0),
            waves: [
                (between(5.0, 14.0), between(60.0, 130.0), between(0.0, TAU)),
                (between(1.0, 4.0), between(25.0, 50.0), between(0.0, TAU)),
            ],
        }
    }

    /// Answers how many nodes have become sand.
    fn dig(&self, field: &mut Field) -> usize {
        let (width, height) = (field.width(), field.height());
        let mut dug = 0;
        for x in 0..width {
            let (mut centre, mut slope) = (self.middle, 0.0);
            for (high, long, phase) in self.waves {
                let angle = TAU * x as f32 / long + phase;
                centre += high * angle.sin();
                slope += high * TAU / long * angle.cos();
            }
            // As wide across the direction of the flow, whichever that is.
            let half = self.half_width * (1.0 + slope * slope).sqrt();
            let (from, to) = ((centre - half).ceil().max(0.0), (centre + half).floor());
            let to = to.min(height as f32 - 1.0);
            let (mut y, mut rows) = (from as usize, (to - from + 1.0).max(0.0) as usize);
            while rows > 0 {
                let node = &mut field.values_mut()[y * width + x];
                dug += usize::from(*node == CLAY);
                *node = SAND;
                (y, rows) = (y + 1, rows - 1);
            }
        }
        dug
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_image_with_about_enough_sand() {
        let image = generate(250, 250, 1);
        assert_eq!(image, generate(250, 250, 1));
        assert_ne!(image, generate(250, 250, 2));
        for seed in 0..20 {
            let image = generate(250, 250, seed);
            let sand = image.field().values().iter().filter(|value| **value == SAND).count();
            let share = sand as f64 / 62_500.0;
            assert!((0.28..0.32).contains(&share), "seed {seed}: {share}");
        }
    }

    #[test]
    fn channels_lead_from_left_to_right() {
        let image = generate(250, 250, 3);
        for x in 0..250 {
            let sand = (0..250).filter(|y| image.field().at(x, *y) == SAND).count();
            assert!((20..150).contains(&sand), "column {x}: {sand}");
        }
    }
}
