//! The search in an image of categories, 64 nodes at once: a category is a plane of bits, and an
//! event's neighbour a shifted look at the plane of its value. A bit that stays set is a node at
//! which all of them have matched.

use super::{DataEvent, FoundPlace, ImageSearch, Limits, Window};
use crate::training_image::TrainingImage;

/// Nodes of one word.
const LANES: usize = u64::BITS as usize;

/// How many nodes have a neighbour's value, and how far its bit is from a node's.
type Neighbour = (u32, isize);

/// Bits of a count of differences.
const COUNT_BITS: usize = 16;

/// See the module.
#[derive(Debug, Clone)]
pub struct PackedSearch {
    categories: Vec<f32>,
    /// A plane for each category, and one without any node for values that the image does not have.
    words: Vec<u64>,
    /// Of each plane.
    nodes: Vec<u32>,
    width: usize,
    height: usize,
    /// Bits of a row; those past the image are 0.
    row_bits: usize,
    limits: Limits,
}

/// Up to 64 nodes beside each other that are looked at together.
#[derive(Debug, Clone, Copy)]
struct NodeLanes {
    /// The first one's bit, in the first plane.
    bit: usize,
    /// One bit for each.
    lanes: u64,
    /// Nodes that were looked at before.
    before: usize,
}

impl PackedSearch {
    /// Searches `image`.
    ///
    /// # Panics
    /// If its values are no categories.
    pub fn new(image: &TrainingImage, limits: Limits) -> Self {
        let categories = image.categories().to_vec();
        assert!(!categories.is_empty(), "an image of categories");
        let (width, height) = (image.field().width(), image.field().height());
        // One word more than the nodes need: a look at the last ones reads into it.
        let row_words = width / LANES + 2;
        let mut words = vec![0; (categories.len() + 1) * height * row_words];
        let mut nodes = vec![0; categories.len() + 1];
        for (node, value) in image.field().values().iter().enumerate() {
            let plane = plane_of(&categories, *value);
            nodes[plane] += 1;
            let row = plane * height + node / width;
            let bit = row * row_words * LANES + node % width;
            words[bit / LANES] |= 1 << (bit % LANES);
        }
        Self { categories, words, nodes, width, height, row_bits: row_words * LANES, limits }
    }

    fn find_one(&self, event: &DataEvent, neighbours: &mut Vec<Neighbour>) -> FoundPlace {
        let window = Window::of(event, self.width, self.height, self.limits);
        neighbours.clear();
        neighbours.extend(event.neighbours[..window.compared].iter().map(|one| {
            let plane = plane_of(&self.categories, one.value);
            let row = (plane * self.height) as isize + isize::from(one.dy);
            (self.nodes[plane], row * self.row_bits as isize + isize::from(one.dx))
        }));
        // The order changes nothing but how soon no node is left.
        neighbours.sort_unstable_by_key(|(nodes, _)| *nodes);
        // As the plain search, which compares sums with a little more.
        let allowed = (self.limits.threshold * window.compared as f32 + 1e-4) as usize;
        let (bit, scanned) = self.nearest(neighbours, window, allowed);
        let differences =
            neighbours.iter().filter(|(_, neighbour)| self.load(bit, *neighbour) & 1 == 0);
        FoundPlace {
            place: (bit / self.row_bits * self.width + bit % self.row_bits) as u32,
            distance: differences.count() as f32 / window.compared.max(1) as f32,
            scanned: scanned as u32,
        }
    }

    /// Calls `look` with the nodes of the window until it answers.
    #[inline]
    fn scan<T>(&self, window: Window, mut look: impl FnMut(NodeLanes) -> Option<T>) -> Option<T> {
        let mut before = 0;
        for (row, column, nodes) in window.stretches() {
            for at in (0..nodes).step_by(LANES) {
                let lanes = u64::MAX >> (LANES - LANES.min(nodes - at));
                let bit = row * self.row_bits + column + at;
                let answer = look(NodeLanes { bit, lanes, before: before + at });
                if answer.is_some() {
                    return answer;
                }
            }
            before += nodes;
        }
        None
    }

    /// The first node with at most `allowed` differences; if there is none, the first of those with
    /// the fewest. Its bit, and how many were looked at. WHY again with one more: mostly all or all
    /// but one or two match somewhere, and the fewer may differ the sooner a look is over.
    fn nearest(&self, neighbours: &[Neighbour], window: Window, allowed: usize) -> (usize, usize) {
        let near = match allowed {
            0 => self.scan(window, |look| first(look, self.equal(neighbours, look))),
            1 => self.scan(window, |look| first(look, self.within::<2>(neighbours, look))),
            2 => self.scan(window, |look| first(look, self.within::<3>(neighbours, look))),
            3 => self.scan(window, |look| first(look, self.within::<4>(neighbours, look))),
            _ => return self.counted(neighbours, window, allowed),
        };
        near.unwrap_or_else(|| {
            let (bit, _) = self.nearest(neighbours, window, allowed + 1);
            (bit, window.budget)
        })
    }

    /// As [`nearest`](Self::nearest), for any number of differences.
    fn counted(&self, neighbours: &[Neighbour], window: Window, allowed: usize) -> (usize, usize) {
        let (mut fewest, mut nearest) = (neighbours.len() + 1, 0);
        let near = self.scan(window, |look| {
            let count = LaneCounts::of(neighbours.iter().map(|(_, one)| self.load(look.bit, *one)));
            let near = count.at_most(allowed) & look.lanes;
            if near != 0 {
                return first(look, near);
            }
            let nearer = count.at_most(fewest - 1) & look.lanes;
            if nearer != 0 {
                let lanes;
                (fewest, lanes) = count.least(nearer);
                nearest = look.bit + lanes.trailing_zeros() as usize;
            }
            None
        });
        near.unwrap_or((nearest, window.budget))
    }

    /// The nodes at which all neighbours match.
    #[inline]
    fn equal(&self, neighbours: &[Neighbour], look: NodeLanes) -> u64 {
        let mut lanes = look.lanes;
        for (_, neighbour) in neighbours {
            lanes &= self.load(look.bit, *neighbour);
            if lanes == 0 {
                break;
            }
        }
        lanes
    }

    /// The nodes at which fewer than `N` neighbours differ.
    #[inline]
    fn within<const N: usize>(&self, neighbours: &[Neighbour], look: NodeLanes) -> u64 {
        // With at most as many differences as the index says.
        let mut at_most = [look.lanes; N];
        for (_, neighbour) in neighbours {
            let matches = self.load(look.bit, *neighbour);
            for count in (1..N).rev() {
                at_most[count] &= matches | at_most[count - 1];
            }
            at_most[0] &= matches;
            if at_most[N - 1] == 0 {
                break;
            }
        }
        at_most[N - 1]
    }

    /// Whether a neighbour matches at 64 nodes. WHY so many bits at once from any place: rows are
    /// not aligned to each other, for events lie anywhere.
    #[inline]
    fn load(&self, bit: usize, neighbour: isize) -> u64 {
        let bit = bit.wrapping_add_signed(neighbour);
        let (word, shift) = (bit / LANES, bit % LANES);
        let [low, high] = [self.words[word], self.words[word + 1]];
        // In two steps: a shift by 64 is none.
        (low >> shift) | (high << 1 << (LANES - 1 - shift))
    }
}

impl ImageSearch for PackedSearch {
    fn find(&self, events: &[DataEvent], answers: &mut [FoundPlace]) {
        let mut neighbours = Vec::new();
        for (event, answer) in events.iter().zip(answers) {
            *answer = self.find_one(event, &mut neighbours);
        }
    }
}

/// The first of some of the nodes that were looked at: its bit, and how many were looked at with
/// it.
#[inline]
fn first(look: NodeLanes, of: u64) -> Option<(usize, usize)> {
    let lane = of.trailing_zeros() as usize;
    (of != 0).then_some((look.bit + lane, look.before + lane + 1))
}

fn plane_of(categories: &[f32], value: f32) -> usize {
    categories.iter().position(|known| *known == value).unwrap_or(categories.len())
}

/// How many neighbours differ at each of 64 nodes: bits of the counts, the lowest first.
struct LaneCounts([u64; COUNT_BITS]);

impl LaneCounts {
    /// Each of `matches` says where one neighbour matches.
    #[inline]
    fn of(matches: impl Iterator<Item = u64>) -> Self {
        let mut bits = [0; COUNT_BITS];
        for matches in matches {
            let mut carry = !matches;
            for bit in &mut bits {
                (*bit, carry) = (*bit ^ carry, *bit & carry);
                if carry == 0 {
                    break;
                }
            }
        }
        Self(bits)
    }

    /// Where the count is at most so much.
    #[inline]
    fn at_most(&self, limit: usize) -> u64 {
        let (mut less, mut equal) = (0, u64::MAX);
        for (place, bit) in self.0.iter().enumerate().rev() {
            if limit >> place & 1 == 1 {
                less |= equal & !bit;
                equal &= bit;
            } else {
                equal &= !bit;
            }
        }
        less | equal
    }

    /// The least count of some nodes, and those which have it.
    #[inline]
    fn least(&self, of: u64) -> (usize, u64) {
        let (mut least, mut lanes) = (0, of);
        for (place, bit) in self.0.iter().enumerate().rev() {
            if lanes & !bit != 0 {
                lanes &= !bit;
            } else {
                least |= 1 << place;
            }
        }
        (least, lanes)
    }
}
