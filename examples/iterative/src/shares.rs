//! Which rows belong to which piece.

use std::ops::Range;

/// `rows` in at most `pieces` parts, in order, none of them empty, and no two of them different by
/// more than one row.
pub fn shares(rows: usize, pieces: usize) -> impl Iterator<Item = Range<usize>> {
    let pieces = pieces.clamp(1, rows.max(1));
    (0..pieces).map(move |piece| piece * rows / pieces..(piece + 1) * rows / pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_piece() {
        for (rows, pieces) in [(10, 3), (3, 10), (1, 1), (65_536, 8), (7, 0)] {
            let parts: Vec<_> = shares(rows, pieces).collect();
            let all: Vec<usize> = parts.iter().cloned().flatten().collect();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
            let sizes = parts.iter().map(Range::len);
            assert!(
                sizes.clone().min() >= Some(1) && sizes.clone().max() <= sizes.min().map(|s| s + 1)
            );
        }
    }
}
