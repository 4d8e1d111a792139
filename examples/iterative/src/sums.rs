//! Adding up on a device what its cubes have found side by side.
//!
//! All sums are taken in an order that depends on nothing but the sizes: a result is the same in
//! each run.

// WHY: of what the macro makes of a kernel.
#![allow(missing_docs)]

use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// Words of which a cube of [`add_parts()`] makes the sums.
pub const WORDS: usize = 8;

/// Units of a cube that share the parts of a word between them.
pub const SLICES: usize = 16;

/// Adds up what cubes have found, in their order: all parts of `words` words
/// become one. A unit has one word of some parts beside each other, and the first ones of a cube
/// add up what those have found.
#[cube(launch)]
pub fn add_parts(parts: &[f32], into: &mut [f32], #[comptime] words: usize) {
    let unit = UNIT_POS as usize;
    let word = CUBE_POS * WORDS + unit % WORDS;
    let slice = unit / WORDS;
    let mut found = Shared::<[f32]>::new_slice(comptime!(WORDS * SLICES));
    let count = parts.len() / words;
    let span = count.div_ceil(SLICES);
    let mut sum = f32::new(0.0);
    if word < words {
        for part in slice * span..(slice + 1) * span {
            if part < count {
                sum += parts[part * words + word];
            }
        }
    }
    found[unit] = sum;
    sync_cube();
    if unit < WORDS && word < words {
        let mut sum = f32::new(0.0);
        for slice in 0..SLICES {
            sum += found[slice * WORDS + unit];
        }
        into[word] = sum;
    }
}
