//! What makes two images alike: how much there is of each category, how soon that changes with the
//! distance, and how far one can go without leaving it.

use super::training_image::{Field, TrainingImage, ValueKind};

/// The largest distance that is looked at, in nodes.
pub const MOST_LAG: usize = 40;

/// The largest distance over which variograms are compared: within the width of a channel or two.
/// Further away all are near their sills.
const NEAR_LAG: usize = 12;

/// Along rows, and along columns.
pub const DIRECTIONS: [&str; 2] = ["horizontal", "vertical"];

/// Of one image.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics(pub Vec<Indicator>);

/// Of the nodes that have one property: one category, or of an image of numbers that they lie above
/// the median of the training image.
#[derive(Debug, Clone, PartialEq)]
pub struct Indicator {
    /// The category, or the median.
    pub value: f32,
    /// The share of nodes that have it.
    pub proportion: f64,
    /// For each direction and distance from 1 on: half of the share of pairs of which exactly one
    /// has it.
    pub variogram: [Vec<f64>; 2],
    /// For each direction and distance from 1 on: of the pairs that both have it, the share between
    /// which a way over neighbours that have it leads, step by step along rows and columns. Not a
    /// number without such pairs.
    pub connectivity: [Vec<f64>; 2],
}

/// How far the statistics of two images are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The largest of all proportions.
    pub proportion: f64,
    /// Of variograms, the mean over the distances up to 12 in terms of the sill, p (1 - p); the
    /// largest of all categories and directions.
    pub variogram: f64,
    /// Of connectivities, the mean over all distances; the largest of all categories and
    /// directions.
    pub connectivity: f64,
}

impl Statistics {
    /// Of an image with the categories of `like`.
    pub fn of(field: &Field, like: &TrainingImage) -> Self {
        let indicators = match like.kind() {
            ValueKind::Categorical(all) => all
                .iter()
                .map(|value| Indicator::of(field, *value, |node| node == *value))
                .collect(),
            ValueKind::Continuous(_) => {
                let mut sorted = like.field().values().to_vec();
                sorted.sort_by(f32::total_cmp);
                let median = sorted[sorted.len() / 2];
                vec![Indicator::of(field, median, |node| node > median)]
            }
        };
        Self(indicators)
    }

    /// Of a training image.
    pub fn of_image(image: &TrainingImage) -> Self {
        Self::of(image.field(), image)
    }

    /// How far they are apart, as far as distances go that both have.
    pub fn difference(&self, other: &Self) -> Difference {
        let mut all = Difference { proportion: 0.0, variogram: 0.0, connectivity: 0.0 };
        for (one, other) in self.0.iter().zip(&other.0) {
            let proportion = (one.proportion - other.proportion).abs();
            all.proportion = all.proportion.max(proportion);
            let sill = (other.proportion * (1.0 - other.proportion)).max(f64::MIN_POSITIVE);
            for direction in 0..2 {
                let (ours, theirs) = (&one.variogram[direction], &other.variogram[direction]);
                let near = NEAR_LAG.min(ours.len()).min(theirs.len());
                let variogram = mean_apart(&ours[..near], &theirs[..near]) / sill;
                all.variogram = all.variogram.max(variogram);
                let (ours, theirs) = (&one.connectivity[direction], &other.connectivity[direction]);
                all.connectivity = all.connectivity.max(mean_apart(ours, theirs));
            }
        }
        all
    }
}

/// The mean distance of those that are both numbers; 0 if there are none.
fn mean_apart(one: &[f64], other: &[f64]) -> f64 {
    let apart = one.iter().zip(other).map(|(one, other)| (one - other).abs());
    let (sum, count) = apart
        .filter(|apart| !apart.is_nan())
        .fold((0.0, 0), |(sum, count), one| (sum + one, count + 1));
    sum / f64::from(count.max(1))
}

impl Indicator {
    fn of(field: &Field, value: f32, is_in: impl Fn(f32) -> bool) -> Self {
        let nodes: Vec<bool> = field.values().iter().map(|node| is_in(*node)).collect();
        let (width, height) = (field.width(), field.height());
        let bodies = bodies(&nodes, width);
        let proportion = share(nodes.iter().map(|node| Some(*node)));
        let pairs = |direction: usize, lag: usize| {
            let (dx, dy) = if direction == 0 { (lag, 0) } else { (0, lag) };
            let rows = 0..height.saturating_sub(dy);
            rows.flat_map(move |y| {
                (0..width.saturating_sub(dx))
                    .map(move |x| (y * width + x, (y + dy) * width + x + dx))
            })
        };
        let of_lags = |direction: usize, of: &dyn Fn(usize, usize) -> Option<bool>| -> Vec<f64> {
            let lags = 1..=MOST_LAG.min([width, height][direction] - 1);
            lags.map(|lag| share(pairs(direction, lag).map(|(one, other)| of(one, other))))
                .collect()
        };
        let differ = |one, other| Some(nodes[one] != nodes[other]);
        let connected =
            |one, other| (nodes[one] && nodes[other]).then(|| bodies[one] == bodies[other]);
        let half = |all: Vec<f64>| all.into_iter().map(|one| one / 2.0).collect();
        Self {
            value,
            proportion,
            variogram: [0, 1].map(|direction| half(of_lags(direction, &differ))),
            connectivity: [0, 1].map(|direction| of_lags(direction, &connected)),
        }
    }
}

/// The share of those that are true among those that are either.
fn share(all: impl Iterator<Item = Option<bool>>) -> f64 {
    let (mut is, mut count) = (0_u64, 0_u64);
    for one in all.flatten() {
        is += u64::from(one);
        count += 1;
    }
    if count == 0 { f64::NAN } else { is as f64 / count as f64 }
}

/// For each node that is in, the number of the connected body to which it belongs.
fn bodies(nodes: &[bool], width: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..nodes.len() as u32).collect();
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    for (node, _) in nodes.iter().enumerate().filter(|(_, is_in)| **is_in) {
        let left = (node % width > 0).then(|| node - 1);
        let above = node.checked_sub(width);
        for beside in left.into_iter().chain(above).filter(|beside| nodes[*beside]) {
            let (one, other) = (root(&mut parent, node as u32), root(&mut parent, beside as u32));
            parent[one as usize] = other;
        }
    }
    (0..nodes.len() as u32).map(|node| root(&mut parent, node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(width: usize, picture: &str) -> Statistics {
        let values = picture.bytes().filter(|byte| !byte.is_ascii_whitespace());
        let values = values.map(|byte| f32::from(u8::from(byte == b'#'))).collect();
        let image = TrainingImage::new(Field::new(width, values)).expect("complete");
        Statistics::of_image(&image)
    }

    #[test]
    fn a_striped_picture() {
        let Statistics(all) = statistics(4, "####  ....  ####  ....");
        let [clay, sand] = &all[..] else { panic!("two categories") };
        assert_eq!((clay.value, sand.value, sand.proportion), (0.0, 1.0, 0.5));
        assert_eq!(sand.variogram, [vec![0.0; 3], vec![0.5, 0.0, 0.5]]);
        assert_eq!(sand.connectivity[0], [1.0; 3]);
        // Nodes of two stripes are not connected; one row further none are both sand.
        let vertical = &sand.connectivity[1];
        assert!(vertical[0].is_nan() && vertical[1] == 0.0 && vertical[2].is_nan(), "{vertical:?}");
    }

    #[test]
    fn a_way_may_lead_around() {
        let Statistics(all) = statistics(5, "#...#  #...#  #####  .....  #...#");
        let sand = &all[1];
        // Of the rows with both ends, two lead around below and one does not.
        assert_eq!(sand.connectivity[0][3], 3.0 / 4.0);
        // Along the outer columns: 0-2, 0-4, 1-2, ... the last row is cut off.
        assert_eq!(sand.connectivity[1][0], 1.0);
        assert_eq!(sand.connectivity[1][3], 0.0);
    }

    #[test]
    fn numbers_are_above_the_median_or_not() {
        let values: Vec<f32> = (0..100).map(|n| n as f32).collect();
        let image = TrainingImage::new(Field::new(10, values)).expect("complete");
        let Statistics(all) = Statistics::of_image(&image);
        assert_eq!((all.len(), all[0].value, all[0].proportion), (1, 50.0, 0.49));
    }

    #[test]
    fn differences_are_of_proportions_variograms_and_ways() {
        let (rows, columns) = ("####....####....", "#.#.#.#.#.#.#.#.");
        let (rows, columns) = (statistics(4, rows), statistics(4, columns));
        let none = rows.difference(&rows);
        assert_eq!((none.proportion, none.variogram, none.connectivity), (0.0, 0.0, 0.0));
        let turned = rows.difference(&columns);
        assert_eq!(turned.proportion, 0.0);
        assert!((turned.variogram - 4.0 / 3.0).abs() < 1e-12, "{turned:?}");
        assert_eq!(turned.connectivity, 1.0);
    }
}
