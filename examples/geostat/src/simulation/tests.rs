use super::*;
use crate::blocks::Informed;
use crate::channels::{self, SAND};
use crate::conditioning::{Datum, place};
use crate::search::PlainSearch;
use crate::statistics::Statistics;
use odeon_example_run::SplitMix64;
use std::sync::atomic::{AtomicUsize, Ordering};

fn settings(seed: u64) -> Settings {
    let limits = Limits { threshold: 0.0, fraction: 0.5 };
    Settings { neighbours: 15, radius: 50, limits, seed }
}

fn task(edge: usize, seed: u64) -> SimulationTask {
    SimulationTask::new(channels::generate(250, 250, 1), Field::empty(edge, edge), settings(seed))
}

/// What the statistics of an unconditional simulation may differ by from those of the image; the
/// second in terms of the sill. WHY not less: pieces of 120 x 120 nodes that are cut out of the
/// image differ from it by as much as 0.04, 0.1 and 0.4.
const PROPORTION: f64 = 0.07;
const VARIOGRAM: f64 = 0.2;
const CONNECTIVITY: f64 = 0.5;

#[test]
fn a_simulation_is_like_its_training_image() {
    for seed in 1..=3 {
        let task = task(200, seed);
        let result = task.simulate();
        task.check(&result).expect("all points");
        let (ours, image) =
            (Statistics::of(&result, task.model.image()), Statistics::of_image(task.model.image()));
        let difference = ours.difference(&image);
        assert!(difference.proportion < PROPORTION, "{seed}: {difference:?}");
        assert!(difference.variogram < VARIOGRAM, "{seed}: {difference:?}");
        assert!(difference.connectivity < CONNECTIVITY, "{seed}: {difference:?}");
    }
}

#[test]
fn values_without_their_neighbours_are_not_like_the_image() {
    // The same proportion in random places: what the tolerances above are to tell apart.
    let image = channels::generate(250, 250, 1);
    let mut random = SplitMix64::new(1);
    let values =
        (0..200 * 200).map(|_| image.field().values()[(random.next() % 62_500) as usize]).collect();
    let difference =
        Statistics::of(&Field::new(200, values), &image).difference(&Statistics::of_image(&image));
    assert!(difference.proportion < PROPORTION, "{difference:?}");
    assert!(difference.variogram > VARIOGRAM, "{difference:?}");
    assert!(difference.connectivity > CONNECTIVITY, "{difference:?}");
}

#[test]
fn a_seed_makes_one_result() {
    let (one, same, other) =
        (task(40, 1).simulate(), task(40, 1).simulate(), task(40, 2).simulate());
    assert_eq!(one, same);
    assert_ne!(one, other);
}

#[test]
fn batches_of_any_size_and_any_search_come_to_the_same() {
    let task = task(50, 4);
    let alone = task.simulate();
    let plain = PlainSearch::new(task.model.image().clone(), settings(4).limits);
    let other = SimulationTask { model: task.model, ..task };
    for size in [2, 7, 30, 2500] {
        let mut grid = Grid::new(other.start.clone());
        let mut searches = 0;
        for points in other.path.chunks(size) {
            let mut batch = Batch::new(points);
            let Ok(()) = other.model.simulate(&mut batch, &mut grid);
            searches += batch.searches();
            assert_eq!(batch.simulated().count(), batch.len());
        }
        assert_eq!((grid.field(), searches), (&alone, 2500), "{size}");
    }
    let other = SimulationTask { model: other.model.searched_by(Box::new(plain)), ..other };
    assert_eq!(other.simulate(), alone);
}

/// Counts the events that are searched for together.
struct Counting<'a>(Box<dyn ImageSearch>, &'a AtomicUsize);

impl ImageSearch for Counting<'static> {
    fn find(&self, events: &[DataEvent], answers: &mut [FoundPlace]) {
        self.1.fetch_max(events.len(), Ordering::Relaxed);
        self.0.find(events, answers);
    }
}

#[test]
fn events_of_points_that_are_no_neighbours_are_searched_for_together() {
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let mut task = task(100, 4);
    let search = search::best(task.model.image(), settings(4).limits);
    task.model = task.model.searched_by(Box::new(Counting(search, &MOST)));
    let mut grid = Grid::new(task.start.clone());
    for points in task.path.chunks(30) {
        let Ok(()) = task.model.simulate(&mut Batch::new(points), &mut grid);
    }
    assert_eq!(MOST.load(Ordering::Relaxed), 30);
}

/// What is empty is not equal to itself.
fn bits(grid: &Grid) -> Vec<u32> {
    grid.field().values().iter().map(|value| value.to_bits()).collect()
}

/// Fails at the n-th look or fill, as a transaction that is rolled back.
struct Failing<'a> {
    grid: &'a mut Grid,
    left: usize,
}

impl Nodes for Failing<'_> {
    type Error = ();

    fn informed(&mut self, block: usize) -> Result<Informed, ()> {
        self.left = self.left.checked_sub(1).ok_or(())?;
        self.grid.informed(block).map_err(|never| match never {})
    }

    fn value(&mut self, node: usize) -> Result<f32, ()> {
        self.left = self.left.checked_sub(1).ok_or(())?;
        self.grid.value(node).map_err(|never| match never {})
    }

    fn fill(&mut self, node: usize, value: f32) -> Result<(), ()> {
        self.left = self.left.checked_sub(1).ok_or(())?;
        self.grid.fill(node, value).map_err(|never| match never {})
    }
}

#[test]
fn a_batch_that_is_rolled_back_searches_again_for_what_has_changed_only() {
    let task = task(60, 5);
    let mut grid = Grid::new(task.start.clone());
    let (first, rest) = task.path.split_at(1500);
    let Ok(()) = task.model.simulate(&mut Batch::new(first), &mut grid);
    let points = &rest[..30];
    let expected = |mut grid: Grid| {
        let mut batch = Batch::new(points);
        let Ok(()) = task.model.simulate(&mut batch, &mut grid);
        (grid, batch.simulated().collect::<Vec<_>>())
    };

    // Rolled back at any place, nothing is searched for twice.
    let mut batch = Batch::new(points);
    for left in (0..3000).step_by(7) {
        let mut copy = grid.clone();
        let done = task.model.simulate(&mut batch, &mut Failing { grid: &mut copy, left });
        assert_eq!(done.is_ok(), bits(&copy) == bits(&expected(grid.clone()).0));
    }
    assert_eq!((batch.searches(), batch.simulated().count()), (30, 30));

    // Another one has filled a neighbour of the first point meanwhile.
    let width = task.start.width() as u32;
    let beside = [points[0] + 1, points[0] - 1, points[0] + width, points[0] - width];
    let empty = beside.into_iter().find(|node| {
        (*node as usize) < grid.field().values().len()
            && grid.field().values()[*node as usize].is_nan()
    });
    let empty = empty.expect("one beside it is empty");
    let Ok(()) = grid.fill(empty as usize, SAND);
    let (other, records) = expected(grid.clone());
    let Ok(()) = task.model.simulate(&mut batch, &mut grid);
    assert_eq!(bits(&grid), bits(&other));
    assert_eq!(batch.simulated().collect::<Vec<_>>(), records);
    assert!((31..45).contains(&batch.searches()), "{}", batch.searches());
}

#[test]
fn what_is_known_before_stays_and_tells_its_neighbours() {
    let image = channels::generate(250, 250, 1);
    let data: Vec<Datum> = (0..40).map(|n| Datum { x: n, y: 20, value: SAND }).collect();
    let mut start = Field::empty(40, 40);
    place(&data, &mut start, &image).expect("they fit");
    let task = SimulationTask::new(image, start, settings(6));
    assert_eq!(task.path.len(), 1560);
    let result = task.simulate();
    task.check(&result).expect("they have stayed");
    let sand = |y| (0..40).filter(|x| result.at(*x, y) == SAND).count();
    assert!(sand(19) + sand(21) > 55, "a channel has some width: {} {}", sand(19), sand(21));

    let mut wrong = result.clone();
    wrong.values_mut()[20 * 40] = 0.0;
    assert_eq!(task.check(&wrong).unwrap_err(), "point 800 was 1 and has become 0");
    wrong.values_mut()[3] = f32::NAN;
    assert_eq!(task.check(&wrong).unwrap_err(), "point 3 was not simulated");
}

#[test]
fn numbers_are_simulated_too() {
    let wave = |node: usize| ((node % 80) as f32 / 9.0).sin() + (node / 80) as f32 / 40.0;
    let image =
        TrainingImage::new(Field::new(80, (0..6400).map(wave).collect())).expect("complete");
    let limits = Limits { threshold: 0.02, fraction: 0.5 };
    let settings = Settings { neighbours: 10, radius: 15, limits, seed: 1 };
    let task = SimulationTask::new(image, Field::empty(40, 40), settings);
    let result = task.simulate();
    task.check(&result).expect("all points");
    // Neighbours are as near to each other as in the image, about; by chance they would differ by
    // some 0.8.
    let steps = (0..1600).filter(|node| node % 40 > 0);
    let sum: f32 =
        steps.map(|node| (result.values()[node] - result.values()[node - 1]).abs()).sum();
    assert!(sum / 1560.0 < 0.2, "{}", sum / 1560.0);
}
