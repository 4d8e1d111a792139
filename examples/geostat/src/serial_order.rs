//! Whether what several threads have simulated could have been simulated by one: an order of the
//! points is looked for in which each finds informed what it was simulated from, and nothing
//! closer; and in that order all are simulated again.

mod precedence;

use super::nodes::Grid;
use super::simulation::{Batch, Simulated, SimulationTask};
use super::training_image::Field;
use precedence::Precedence;
use std::collections::VecDeque;

/// An order of the points in which one thread comes to the same events and the same values.
///
/// # Errors
/// What cannot be: a point that is missing or there twice, points of which each would have to be
/// simulated before the other, or an event or a value that comes out differently.
pub fn find(
    task: &SimulationTask,
    records: &[Simulated],
    result: &Field,
) -> Result<Vec<u32>, String> {
    let mut of_point: Vec<Option<&Simulated>> = vec![None; task.start.values().len()];
    for record in records {
        if of_point[record.point as usize].replace(record).is_some() {
            return Err(format!("point {} was simulated twice", record.point));
        }
    }
    if records.len() != task.path.len() {
        return Err(format!("{} of {} points were simulated", records.len(), task.path.len()));
    }
    let precedence = Precedence::new(task, &of_point, result)?;
    let order = sorted(&precedence, records)?;
    repeat(task, &order, &of_point, result).map(|()| order)
}

/// The points so that each comes before those that must come after it.
fn sorted(precedence: &Precedence<'_>, records: &[Simulated]) -> Result<Vec<u32>, String> {
    let mut before = precedence.before();
    let free = records.iter().map(|record| record.point);
    let mut free: VecDeque<u32> = free.filter(|point| before[*point as usize] == 0).collect();
    let mut order = Vec::with_capacity(records.len());
    while let Some(point) = free.pop_front() {
        order.push(point);
        precedence.after(point, |next| {
            before[next] -= 1;
            if before[next] == 0 {
                free.push_back(next as u32);
            }
        });
    }
    match records.len() - order.len() {
        0 => Ok(order),
        left => Err(format!("{left} points were simulated before each other")),
    }
}

/// Simulates all points in this order.
fn repeat(
    task: &SimulationTask,
    order: &[u32],
    of_point: &[Option<&Simulated>],
    result: &Field,
) -> Result<(), String> {
    let mut grid = Grid::new(task.start.clone());
    for point in order {
        let mut batch = Batch::new(std::slice::from_ref(point));
        let Ok(()) = task.model.simulate(&mut batch, &mut grid);
        let again = batch.simulated().next();
        if again.as_ref() != of_point[*point as usize] {
            return Err(format!("point {point} comes out differently in the order that was found"));
        }
    }
    let differs =
        grid.field().values().iter().zip(result.values()).position(|(one, other)| one != other);
    differs
        .map_or(Ok(()), |point| Err(format!("the value of point {point} is none that was found")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels;
    use crate::nodes::Nodes;
    use crate::search::Limits;
    use crate::simulation::Settings;

    fn settings() -> Settings {
        let limits = Limits { threshold: 0.0, fraction: 0.5 };
        Settings { neighbours: 8, radius: 10, limits, seed: 3 }
    }

    fn task() -> SimulationTask {
        SimulationTask::new(channels::generate(50, 50, 1), Field::empty(24, 20), settings())
    }

    /// Simulates in pairs of points that know nothing of each other, if `is_blind`.
    fn simulate(task: &SimulationTask, is_blind: bool) -> (Vec<Simulated>, Field) {
        let (mut grid, mut records) = (Grid::new(task.start.clone()), Vec::new());
        for pair in task.path.chunks(2) {
            let before = grid.clone();
            for point in pair {
                let mut batch = Batch::new(std::slice::from_ref(point));
                let mut seen = if is_blind { before.clone() } else { grid.clone() };
                let Ok(()) = task.model.simulate(&mut batch, &mut seen);
                let value = seen.field().values()[*point as usize];
                let Ok(()) = grid.fill(*point as usize, value);
                records.extend(batch.simulated());
            }
        }
        (records, grid.into_field())
    }

    #[test]
    fn what_one_thread_has_done_has_an_order() {
        let task = task();
        let (mut records, grid) = simulate(&task, false);
        records.reverse();
        let order = find(&task, &records, &grid).expect("the path is one");
        assert_eq!(order.len(), task.path.len());
    }

    #[test]
    fn what_was_simulated_blindly_has_none() {
        let task = task();
        let (records, grid) = simulate(&task, true);
        let refused = find(&task, &records, &grid).unwrap_err();
        assert!(refused.contains("before each other"), "{refused}");
    }

    /// Without what is known in the corner, points simulate each other as well as with it.
    #[test]
    fn what_was_known_before_cannot_be_left_out() {
        let blind = task();
        let (mut records, mut grid) = simulate(&blind, false);
        records.retain(|record| record.point != 0);
        for record in &mut records {
            let is_corner = |dx: i16, dy: i16| {
                i64::from(record.point) + 24 * i64::from(dy) + i64::from(dx) == 0
            };
            record.event.neighbours.retain(|one| !is_corner(one.dx, one.dy));
        }
        let mut start = Field::empty(24, 20);
        start.values_mut()[0] = 1.0;
        grid.values_mut()[0] = 1.0;
        let image = channels::generate(50, 50, 1);
        let known = SimulationTask::new(image, start, settings());
        let refused = find(&known, &records, &grid).unwrap_err();
        assert!(refused.contains("has not seen what was known at 0"), "{refused}");
    }

    #[test]
    fn what_was_not_found_is_noticed() {
        let task = task();
        let (records, grid) = simulate(&task, false);
        let refused = |records: &[Simulated], grid: &Field| find(&task, records, grid).unwrap_err();
        assert!(refused(&records[1..], &grid).contains("479 of 480"));
        let twice = [&records[..1], &records[..479]].concat();
        assert!(refused(&twice, &grid).contains("twice"));
        let mut moved = records.clone();
        moved[400].found.place ^= 1;
        assert!(refused(&moved, &grid).contains("comes out differently"));
        let mut other = grid.clone();
        let last = records[479].point as usize;
        other.values_mut()[last] = 1.0 - other.values()[last];
        assert!(refused(&records, &other).contains("none that was found"));
        let mut shuffled = records.clone();
        shuffled[300].event.neighbours.swap(0, 7);
        assert!(refused(&shuffled, &grid).contains("not in order"));
    }
}
