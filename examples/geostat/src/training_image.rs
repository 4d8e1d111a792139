//! Values on a rectangle of nodes, and the one of which all nodes are known.

/// The mark of a node without a value: not a number.
pub const EMPTY: f32 = f32::NAN;

/// Values on a rectangle of nodes, row by row; a node may be [empty](EMPTY).
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    width: usize,
    values: Vec<f32>,
}

impl Field {
    /// Of these values, row by row.
    ///
    /// # Panics
    /// If the values are not full rows of `width`, or none.
    pub fn new(width: usize, values: Vec<f32>) -> Self {
        assert!(width > 0 && !values.is_empty() && values.len() % width == 0, "full rows");
        Self { width, values }
    }

    /// All nodes empty.
    pub fn empty(width: usize, height: usize) -> Self {
        Self::new(width, vec![EMPTY; width * height])
    }

    /// Nodes of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The value of a node.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn at(&self, x: usize, y: usize) -> f32 {
        assert!(x < self.width, "a node of the row");
        self.values[y * self.width + x]
    }

    /// Whether no node is empty.
    pub fn is_complete(&self) -> bool {
        self.values.iter().all(|value| !value.is_nan())
    }
}

/// What the values of an image mean.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// Each is one of a few, in ascending order: two of them are equal or not.
    Categorical(Vec<f32>),
    /// Numbers within a range of this width: two of them are near or far.
    Continuous(f32),
}

/// Values up to which an image is taken to be one of categories.
const MOST_CATEGORIES: usize = 16;

/// What a simulation copies from: an image of which all nodes are known.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingImage {
    field: Field,
    kind: ValueKind,
}

impl TrainingImage {
    /// An image with at most 16 different values is one of categories, any other one of numbers.
    ///
    /// # Errors
    /// If a node is empty or infinite.
    pub fn new(field: Field) -> Result<Self, String> {
        if let Some(node) = field.values.iter().position(|value| !value.is_finite()) {
            return Err(format!("node {node} has no value"));
        }
        let kind = kind_of(&field.values);
        Ok(Self { field, kind })
    }

    /// Its nodes.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// What its values mean.
    pub fn kind(&self) -> &ValueKind {
        &self.kind
    }

    /// All values in ascending order, if they are categories.
    pub fn categories(&self) -> &[f32] {
        match &self.kind {
            ValueKind::Categorical(all) => all,
            ValueKind::Continuous(_) => &[],
        }
    }
}

fn kind_of(values: &[f32]) -> ValueKind {
    let mut seen: Vec<f32> = Vec::new();
    for value in values {
        if let Err(place) = seen.binary_search_by(|known| known.total_cmp(value)) {
            // Past the limit only the lowest and the highest are of interest.
            seen.insert(place, *value);
            if seen.len() > MOST_CATEGORIES + 1 {
                seen.remove(MOST_CATEGORIES / 2);
            }
        }
    }
    match seen.len() {
        0..=MOST_CATEGORIES => ValueKind::Categorical(seen),
        many => ValueKind::Continuous(seen[many - 1] - seen[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_categories_and_many_are_numbers() {
        let few = TrainingImage::new(Field::new(3, vec![2.0, 0.0, 1.0, 1.0, 2.0, 0.0]));
        assert_eq!(few.expect("complete").kind(), &ValueKind::Categorical(vec![0.0, 1.0, 2.0]));
        let many: Vec<f32> = (0..100).map(|n| (n * 37 % 100) as f32 - 20.0).collect();
        let many = TrainingImage::new(Field::new(10, many)).expect("complete");
        assert_eq!((many.kind(), many.categories().len()), (&ValueKind::Continuous(99.0), 0));
    }

    #[test]
    fn an_image_with_holes_is_refused() {
        let refused = TrainingImage::new(Field::new(2, vec![0.0, EMPTY])).unwrap_err();
        assert_eq!(refused, "node 1 has no value");
    }
}
