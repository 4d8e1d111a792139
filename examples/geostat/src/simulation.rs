//! Simulating points, several at once where they do not depend on each other.

use super::closest::Closest;
use super::conditioning;
use super::neighbourhood::Neighbourhood;
use super::nodes::{Grid, Nodes};
use super::path::{self, draw_of};
use super::search::{self, DataEvent, FoundPlace, ImageSearch, Limits};
use super::training_image::{Field, TrainingImage};
use crate::image_source;
use odeon_example_run::RunError;
use std::path::Path;
use std::sync::Arc;

/// How points are simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Neighbours of a point, at most.
    pub neighbours: usize,
    /// How far they lie away, at most.
    pub radius: usize,
    /// When a search is content.
    pub limits: Limits,
    /// Of the random path, and of where searches begin.
    pub seed: u64,
}

/// All that a simulation needs besides the grid.
pub struct SimulationModel {
    image: Arc<TrainingImage>,
    search: Box<dyn ImageSearch>,
    neighbourhood: Neighbourhood,
    seed: u64,
}

/// Points that are simulated in one go, with what was found for them. It remembers: when it is gone
/// through again, because a transaction was rolled back, only events that are different by then are
/// searched for.
#[derive(Debug, Default)]
pub struct Batch {
    points: Vec<u32>,
    events: Vec<DataEvent>,
    found: Vec<Option<FoundPlace>>,
    answers: Vec<FoundPlace>,
    searches: u64,
    /// Memory that looks share.
    closest: Closest,
}

/// One point with what it was simulated from.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// Its number.
    pub point: u32,
    /// Its informed neighbours.
    pub event: DataEvent,
    /// Where the event was found.
    pub found: FoundPlace,
}

impl Batch {
    /// Of these points, in this order.
    pub fn new(points: &[u32]) -> Self {
        let mut batch = Self::default();
        batch.begin(points);
        batch
    }

    /// Other points, and nothing found.
    pub fn begin(&mut self, points: &[u32]) {
        self.points.clear();
        self.points.extend(points);
        self.found.clear();
        self.found.resize(points.len(), None);
        self.events.resize_with(points.len(), DataEvent::default);
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// How many events were searched for so far.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// What the points were simulated from; those that were not are missing.
    pub fn simulated(&self) -> impl Iterator<Item = Simulated> + '_ {
        let all = self.points.iter().zip(&self.events).zip(&self.found);
        all.filter_map(|((point, event), found)| {
            Some(Simulated { point: *point, event: event.clone(), found: (*found)? })
        })
    }
}

impl SimulationModel {
    /// Of a grid with `width` times `height` nodes.
    ///
    /// # Panics
    /// If the radius of the settings is 0 or too large.
    pub fn new(image: TrainingImage, (width, height): (usize, usize), settings: Settings) -> Self {
        let image = Arc::new(image);
        let search = search::best(&image, settings.limits);
        let Settings { neighbours, radius, seed, .. } = settings;
        let neighbourhood = Neighbourhood::new(width, height, neighbours, radius);
        Self { image, search, neighbourhood, seed }
    }

    /// The same with another way to search, which finds the same.
    #[must_use]
    pub fn searched_by(self, search: Box<dyn ImageSearch>) -> Self {
        Self { search, ..self }
    }

    /// What is copied from.
    pub fn image(&self) -> &Arc<TrainingImage> {
        &self.image
    }

    /// Where points look for informed neighbours.
    pub fn neighbourhood(&self) -> &Neighbourhood {
        &self.neighbourhood
    }

    /// The value that was found.
    #[inline]
    pub fn value_of(&self, found: FoundPlace) -> f32 {
        self.image.field().values()[found.place as usize]
    }

    /// Simulates the points of a batch in their order, each from what is informed then. Events of
    /// points that lie too far from each other to be neighbours are searched for together.
    ///
    /// # Errors
    /// What the grid answers; the batch can then be simulated again.
    pub fn simulate<N: Nodes>(&self, batch: &mut Batch, nodes: &mut N) -> Result<(), N::Error> {
        // Those whose events are known, and which are still empty.
        let mut begun = 0;
        let mut event = DataEvent::default();
        for next in 0..batch.points.len() {
            let point = batch.points[next];
            let look = |event: &mut DataEvent, closest: &mut Closest, nodes: &mut N| {
                self.neighbourhood.look(point, &mut event.neighbours, closest, nodes)
            };
            let mut reach = look(&mut event, &mut batch.closest, nodes)?;
            if self.is_near(&batch.points[begun..next], point, reach) {
                self.fill(batch, begun, next, nodes)?;
                begun = next;
                reach = look(&mut event, &mut batch.closest, nodes)?;
            }
            debug_assert!(!self.is_near(&batch.points[begun..next], point, reach));
            event.draw = draw_of(point, self.seed);
            if batch.found[next].is_none() || batch.events[next] != event {
                batch.found[next] = None;
                std::mem::swap(&mut batch.events[next], &mut event);
            }
        }
        self.fill(batch, begun, batch.points.len(), nodes)
    }

    /// Whether one of the points lies where a look has been.
    #[inline]
    fn is_near(&self, points: &[u32], point: u32, reach: u32) -> bool {
        points.iter().any(|other| self.neighbourhood.square_between(point, *other) <= reach)
    }

    /// Searches for the events of some points, as far as that was not done before, and gives them
    /// their values.
    fn fill<N: Nodes>(
        &self,
        batch: &mut Batch,
        from: usize,
        to: usize,
        nodes: &mut N,
    ) -> Result<(), N::Error> {
        let mut next = from;
        while next < to {
            let unknown = batch.found[next..to].iter().take_while(|found| found.is_none()).count();
            if unknown == 0 {
                next += 1;
                continue;
            }
            batch.answers.clear();
            batch.answers.resize(unknown, FoundPlace::default());
            self.search.find(&batch.events[next..next + unknown], &mut batch.answers);
            batch.searches += unknown as u64;
            for (found, answer) in batch.found[next..].iter_mut().zip(&batch.answers) {
                *found = Some(*answer);
            }
            next += unknown;
        }
        for (point, found) in batch.points[from..to].iter().zip(&batch.found[from..to]) {
            if let Some(found) = found {
                nodes.fill(*point as usize, self.value_of(*found))?;
            }
        }
        Ok(())
    }
}

/// A simulation that is to be made: the model, the grid with what is known before, and the order of
/// all other points.
pub struct SimulationTask {
    /// What is done for each point.
    pub model: SimulationModel,
    /// Empty but for the conditioning data.
    pub start: Field,
    /// All empty points, in random order.
    pub path: Arc<[u32]>,
}

impl SimulationTask {
    /// Of a square grid, with the training image of `image` (see [`image_source::load`]) and the
    /// conditioning data of a file, if there is one.
    ///
    /// # Errors
    /// If a file cannot be read or does not fit.
    pub fn load(
        edge: usize,
        image: &str,
        data: Option<&Path>,
        settings: Settings,
    ) -> Result<Self, RunError> {
        let image = image_source::load(image, settings.seed)?;
        let mut start = Field::empty(edge, edge);
        if let Some(data) = data {
            conditioning::load(data, &mut start, &image)?;
        }
        Ok(Self::new(image, start, settings))
    }

    /// Of a grid in which some points are known.
    pub fn new(image: TrainingImage, start: Field, settings: Settings) -> Self {
        let path = path::random(&start, settings.seed).into();
        let model = SimulationModel::new(image, (start.width(), start.height()), settings);
        Self { model, start, path }
    }

    /// Simulates all points on this thread: the plainest way, and the floor of all others.
    pub fn simulate(&self) -> Field {
        let mut grid = Grid::new(self.start.clone());
        let mut batch = Batch::default();
        for point in self.path.iter() {
            batch.begin(std::slice::from_ref(point));
            let Ok(()) = self.model.simulate(&mut batch, &mut grid);
        }
        grid.into_field()
    }

    /// Whether all points have a value and those known before have kept theirs.
    ///
    /// # Errors
    /// What is wrong with `result`.
    pub fn check(&self, result: &Field) -> Result<(), String> {
        let all = self.start.values().iter().zip(result.values()).enumerate();
        for (node, (before, after)) in all {
            if after.is_nan() {
                return Err(format!("point {node} was not simulated"));
            }
            if !before.is_nan() && before != after {
                return Err(format!("point {node} was {before} and has become {after}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
