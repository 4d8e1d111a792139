//! Which points must have been simulated before which: a point before those that it has not seen
//! informed, and after those that it has. What it has seen is found by looking at node after node,
//! from near to far, which is how neighbours are defined.
//!
//! WHY what must come after a point is found anew when it is asked for: a point looks at some
//! hundred nodes, and a grid has half a million points.

use crate::closest::Offset;
use crate::search::Neighbour;
use crate::simulation::{Simulated, SimulationTask};
use crate::training_image::Field;

pub(super) struct Precedence<'a> {
    of_point: &'a [Option<&'a Simulated>],
    /// All nodes around a point, from near to far.
    around: Vec<Offset>,
    width: usize,
    most: usize,
    /// For each point, where those begin in `seen_by` that have seen it informed.
    begin: Vec<u32>,
    seen_by: Vec<u32>,
}

impl<'a> Precedence<'a> {
    /// # Errors
    /// An event that is not in order, has other values than the result, or lacks what was known
    /// before.
    pub(super) fn new(
        task: &SimulationTask,
        of_point: &'a [Option<&'a Simulated>],
        result: &Field,
    ) -> Result<Self, String> {
        let neighbourhood = task.model.neighbourhood();
        let mut precedence = Self {
            of_point,
            around: around(neighbourhood.radius() as i16),
            width: task.start.width(),
            most: neighbourhood.most(),
            begin: vec![0; of_point.len() + 1],
            seen_by: Vec::new(),
        };
        for record in of_point.iter().copied().flatten() {
            precedence.check(record, result)?;
        }
        precedence.gather();
        Ok(precedence)
    }

    /// For each point, how many must come before it.
    pub(super) fn before(&self) -> Vec<u32> {
        let mut before = vec![0_u32; self.of_point.len()];
        for record in self.of_point.iter().copied().flatten() {
            let informed = self.neighbours(record);
            before[record.point as usize] += informed.count() as u32;
            self.not_informed(record, |node| before[node] += 1);
        }
        before
    }

    /// Those that must come after a point; one may be there several times, as often as it was
    /// counted.
    pub(super) fn after(&self, point: u32, mut each: impl FnMut(usize)) {
        let (from, to) = (self.begin[point as usize], self.begin[point as usize + 1]);
        self.seen_by[from as usize..to as usize].iter().for_each(|later| each(*later as usize));
        if let Some(record) = self.of_point[point as usize] {
            self.not_informed(record, each);
        }
    }

    /// Whether the event has what the result has, from near to far, and all that was known before
    /// and is as near.
    fn check(&self, record: &Simulated, result: &Field) -> Result<(), String> {
        let (point, mut wrong) = (record.point, None);
        let is_in_order = self.seen(record, |node, neighbour| match neighbour {
            Some(Neighbour { value, .. }) if result.values()[node] != *value => {
                wrong = Some(format!("point {point} has seen {value} at {node}"));
            }
            None if self.of_point[node].is_none() => {
                wrong = Some(format!("point {point} has not seen what was known at {node}"));
            }
            _ => {}
        });
        match wrong {
            Some(wrong) => Err(wrong),
            None if is_in_order => Ok(()),
            None => Err(format!("the event of point {point} is not in order")),
        }
    }

    /// The points, among its neighbours, that were simulated.
    fn neighbours(&self, record: &Simulated) -> impl Iterator<Item = usize> {
        let nodes = record.event.neighbours.iter().map(|Neighbour { dx, dy, .. }| {
            let node = record.point as isize + *dy as isize * self.width as isize + *dx as isize;
            node as usize
        });
        nodes.filter(|node| self.of_point[*node].is_some())
    }

    /// The points that would be neighbours had they been simulated before.
    fn not_informed(&self, record: &Simulated, mut each: impl FnMut(usize)) {
        self.seen(record, |node, neighbour| {
            if neighbour.is_none() && self.of_point[node].is_some() {
                each(node);
            }
        });
    }

    /// All nodes that the point must have looked at, from near to far, each with what the event has
    /// of it. Answers whether that is all that it has.
    fn seen(&self, record: &Simulated, mut each: impl FnMut(usize, Option<&Neighbour>)) -> bool {
        let mut left = &*record.event.neighbours;
        let is_full = left.len() >= self.most;
        let (x, y) = (record.point as usize % self.width, record.point as usize / self.width);
        let (width, height) = (self.width as isize, (self.of_point.len() / self.width) as isize);
        for offset in &self.around {
            if is_full && left.is_empty() {
                break;
            }
            let (at_x, at_y) = (x as isize + offset.dx as isize, y as isize + offset.dy as isize);
            if !(0..width).contains(&at_x) || !(0..height).contains(&at_y) {
                continue;
            }
            let neighbour =
                left.first().filter(|next| (next.dx, next.dy) == (offset.dx, offset.dy));
            left = &left[usize::from(neighbour.is_some())..];
            each((at_y * width + at_x) as usize, neighbour);
        }
        left.is_empty()
    }

    fn gather(&mut self) {
        let records = || self.of_point.iter().copied().flatten();
        let mut begin = vec![0_u32; self.of_point.len() + 1];
        for node in records().flat_map(|record| self.neighbours(record)) {
            begin[node + 1] += 1;
        }
        for node in 0..self.of_point.len() {
            begin[node + 1] += begin[node];
        }
        let mut next = begin.clone();
        let mut seen_by = vec![0; begin[self.of_point.len()] as usize];
        for record in records() {
            for node in self.neighbours(record) {
                seen_by[next[node] as usize] = record.point;
                next[node] += 1;
            }
        }
        (self.begin, self.seen_by) = (begin, seen_by);
    }
}

fn around(radius: i16) -> Vec<Offset> {
    let farthest = Offset { dx: radius, dy: 0 }.square();
    let rows =
        (-radius..=radius).flat_map(|dy| (-radius..=radius).map(move |dx| Offset { dx, dy }));
    let mut around: Vec<_> =
        rows.filter(|offset| (1..=farthest).contains(&offset.square())).collect();
    // Stable: of those that are as close, the upper one comes first, and then the left one.
    around.sort_by_key(|offset| offset.square());
    around
}
