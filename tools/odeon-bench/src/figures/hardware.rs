//! What only real hardware shows: sixteen cores, a GPU. A list of its own, for a machine that is
//! there for ten minutes.

mod cores;
mod gpu;
mod messages;

use super::Group;

/// Parts of the list, which can be measured apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HardwarePart {
    /// How work on many cores scales.
    Cores,
    /// What needs a GPU.
    Gpu,
}

/// Promises that name a number of cores are made for as many.
pub const SIXTEEN: u64 = 16;

/// The groups of a part, for a machine of so many cores.
pub fn groups(part: HardwarePart, cores: usize) -> Vec<Group> {
    // WHY two: where there is one core, there is nothing to compare.
    let cores = (cores as u64).clamp(2, 256);
    match part {
        HardwarePart::Cores => {
            let mut groups = cores::groups(cores);
            groups.extend(messages::groups(cores));
            groups
        }
        HardwarePart::Gpu => gpu::groups(cores),
    }
}

/// The numbers of threads that are compared.
fn numbers_of_threads(cores: u64) -> Vec<u64> {
    let fewer = [1, 2, 4, 8, 12, 16].into_iter().filter(|count| *count < cores);
    fewer.chain([cores]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_compared_up_to_all_cores() {
        assert_eq!(numbers_of_threads(2), [1, 2]);
        assert_eq!(numbers_of_threads(6), [1, 2, 4, 6]);
        assert_eq!(numbers_of_threads(16), [1, 2, 4, 8, 12, 16]);
        assert_eq!(numbers_of_threads(24), [1, 2, 4, 8, 12, 16, 24]);
    }

    #[test]
    fn promises_for_sixteen_cores_are_made_there() {
        let figures = |cores| cores::groups(cores).iter().map(|group| group.figures.len()).sum();
        let [few, many]: [usize; 2] = [15, 16].map(figures);
        assert!(few == 0 && many > 0);
    }
}
