//! In which order points are simulated: at random, the same for the same seed, so that the result
//! has no grain.

use super::training_image::Field;
use odeon_example_run::SplitMix64;

/// The nodes of a grid that have no value yet, by number, in random order.
pub fn random(grid: &Field, seed: u64) -> Vec<u32> {
    let numbered = grid.values().iter().enumerate();
    let mut path: Vec<u32> =
        numbered.filter(|(_, value)| value.is_nan()).map(|(node, _)| node as u32).collect();
    let mut random = SplitMix64::new(seed);
    for last in (1..path.len()).rev() {
        path.swap(last, (random.next() % (last as u64 + 1)) as usize);
    }
    path
}

/// The draw that decides where the search for a point begins: it depends on nothing that was
/// simulated before.
#[inline]
pub fn draw_of(point: u32, seed: u64) -> u64 {
    SplitMix64::of_member(seed, point as usize).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_empty_node_comes_once() {
        let mut grid = Field::empty(10, 10);
        grid.values_mut()[42] = 1.0;
        let path = random(&grid, 5);
        assert_eq!((path.len(), path.contains(&42)), (99, false));
        let mut sorted = path.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 99);
        assert!(path != sorted && path == random(&grid, 5) && path != random(&grid, 6));
        assert_ne!(draw_of(1, 5), draw_of(2, 5));
    }

    #[test]
    fn early_points_lie_everywhere() {
        let path = random(&Field::empty(100, 100), 1);
        let mut quarters = [0; 4];
        for point in &path[..1000] {
            let (x, y) = (point % 100, point / 100);
            quarters[(x / 50 + y / 50 * 2) as usize] += 1;
        }
        assert!(quarters.iter().all(|count| (180..320).contains(count)), "{quarters:?}");
    }
}
