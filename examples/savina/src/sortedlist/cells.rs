//! The list: sorted, with numbers that may come several times, one heap cell each.

#[derive(Default)]
pub(super) struct Cells {
    head: NumberLink,
}

type NumberLink = Option<Box<NumberCell>>;

struct NumberCell {
    number: i32,
    next: NumberLink,
}

impl Cells {
    /// Adds a number behind all that are not greater.
    pub(super) fn add(&mut self, number: i32) {
        let mut link = &mut self.head;
        while link.as_ref().is_some_and(|cell| cell.number <= number) {
            link = &mut link.as_mut().expect("the loop's condition has seen a cell").next;
        }
        *link = Some(Box::new(NumberCell { number, next: link.take() }));
    }

    /// Whether a number is there. As the suite's list does, it looks at every cell until it finds
    /// an equal one.
    pub(super) fn contains(&self, number: i32) -> bool {
        self.numbers().any(|other| other == number)
    }

    /// How many there are, counted.
    pub(super) fn size(&self) -> usize {
        self.numbers().count()
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = i32> + '_ {
        let cells = std::iter::successors(self.head.as_deref(), |cell| cell.next.as_deref());
        cells.map(|cell| cell.number)
    }
}

impl Drop for Cells {
    /// WHY: the compiler's own drop recurses once per cell, and worker threads have small stacks.
    fn drop(&mut self) {
        let mut link = self.head.take();
        while let Some(mut cell) = link {
            link = cell.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cells;

    #[test]
    fn it_is_sorted_and_keeps_equal_numbers() {
        let mut cells = Cells::default();
        [5, -3, 5, 9, -3].into_iter().for_each(|number| cells.add(number));
        assert_eq!(cells.numbers().collect::<Vec<_>>(), [-3, -3, 5, 5, 9]);
        assert!(cells.contains(9) && !cells.contains(4));
        assert_eq!(cells.size(), 5);
    }
}
