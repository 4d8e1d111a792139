//! The closest of many: as many as are wanted, in order.

/// Where a node lies, seen from a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// Columns to the right.
    pub dx: i16,
    /// Rows down.
    pub dy: i16,
}

impl Offset {
    /// The square of the distance.
    #[inline]
    pub fn square(self) -> u32 {
        let square = |way: i16| i32::from(way).unsigned_abs().pow(2);
        square(self.dx) + square(self.dy)
    }

    /// Of two nodes the closer one has the smaller key; of two that are as close, the upper one,
    /// and then the left one.
    #[inline]
    fn key(self) -> u64 {
        let ascending = |way: i16| u64::from(way as u16 ^ 0x8000);
        key_of(self.square()) | ascending(self.dy) << 16 | ascending(self.dx)
    }

    #[inline]
    fn of(key: u64) -> Self {
        let way = |key: u64| (key as u16 ^ 0x8000) as i16;
        Self { dx: way(key), dy: way(key >> 16) }
    }
}

/// Not larger than the key of any node at this distance.
#[inline]
fn key_of(square: u32) -> u64 {
    u64::from(square) << 32
}

/// The closest nodes of those that were offered. It keeps its memory from one point to the next.
#[derive(Debug, Clone, Default)]
pub struct Closest {
    /// Ascending.
    keys: Vec<u64>,
    most: usize,
    /// Keys from here on are of no use.
    end: u64,
    farthest: u32,
}

impl Closest {
    /// Forgets all. At most `most`, which is 1 at least, are kept, whose distance has at most the
    /// square `farthest`.
    ///
    /// # Panics
    /// If `most` is 0.
    pub fn begin(&mut self, most: usize, farthest: u32) {
        assert!(most > 0, "one is kept at least");
        self.keys.clear();
        (self.most, self.end, self.farthest) = (most, key_of(farthest + 1), farthest);
    }

    /// Whether a node whose distance has this square at least is of no use, whatever it is.
    #[inline]
    pub fn is_beyond(&self, square: u32) -> bool {
        key_of(square) >= self.end
    }

    /// Takes a node that is farther than all before, and not too far, as its caller sees to.
    /// Answers whether there are enough.
    #[inline]
    pub fn push(&mut self, offset: Offset) -> bool {
        let key = offset.key();
        debug_assert!(key < self.end && self.keys.last().is_none_or(|last| *last < key));
        self.keys.push(key);
        let is_full = self.keys.len() == self.most;
        if is_full {
            self.end = key;
        }
        is_full
    }

    /// Takes a node if it is close enough.
    #[inline]
    pub fn offer(&mut self, offset: Offset) {
        let key = offset.key();
        if key >= self.end {
            return;
        }
        if self.keys.len() == self.most {
            self.keys.pop();
        }
        let at = self.keys.iter().rposition(|other| *other < key).map_or(0, |last| last + 1);
        self.keys.insert(at, key);
        if self.keys.len() == self.most {
            self.end = self.keys[self.most - 1];
        }
    }

    /// What was kept, the closest first.
    pub fn offsets(&self) -> impl Iterator<Item = Offset> {
        self.keys.iter().copied().map(Offset::of)
    }

    /// The square of the distance up to which nodes matter: those beyond could be anything.
    pub fn reach(&self) -> u32 {
        match self.keys.last() {
            Some(last) if self.keys.len() == self.most => Offset::of(*last).square(),
            _ => self.farthest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_example_run::SplitMix64;

    #[test]
    fn keeps_the_closest_in_order() {
        let mut random = SplitMix64::new(5);
        let mut way = || (random.next() % 21) as i16 - 10;
        let mut closest = Closest::default();
        for (most, farthest) in [(1, 100), (7, 100), (7, 9), (1000, 50)] {
            let mut offsets: Vec<_> = (0..300).map(|_| Offset { dx: way(), dy: way() }).collect();
            offsets.sort_by_key(|offset| (offset.dx, offset.dy));
            offsets.dedup();
            closest.begin(most, farthest);
            let (near, far): (Vec<_>, _) = offsets.iter().partition(|offset| offset.square() < 4);
            let by_key = |offset: &Offset| (offset.square(), offset.dy, offset.dx);
            let mut near: Vec<Offset> = near;
            near.sort_by_key(by_key);
            let is_full = near.iter().any(|offset| closest.push(*offset));
            let far: Vec<Offset> = far;
            if !is_full {
                far.iter().for_each(|offset| closest.offer(*offset));
            }
            offsets.retain(|offset| offset.square() <= farthest);
            offsets.sort_by_key(by_key);
            offsets.truncate(most);
            assert_eq!(closest.offsets().collect::<Vec<_>>(), offsets);
            let is_full = offsets.len() == most;
            let reach = if is_full { offsets[most - 1].square() } else { farthest };
            assert_eq!(closest.reach(), reach);
            assert!(closest.is_beyond(reach + 1));
            // One as close may lie further up.
            assert!(!closest.is_beyond(reach));
        }
    }
}
