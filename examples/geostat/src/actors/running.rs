//! One simulation by actors, from the theater to the checked grid.

use super::SimulationSetup;
use super::log_actor::{LogActor, Looks, ToLog};
use super::main_actor::{MainActor, ToMain};
use super::pictures::Progressing;
use super::simulator::{Requests, Simulator, ToSimulator};
use crate::serial_order;
use crate::simulation::{Simulated, SimulationTask};
use crate::training_image::Field;
use odeon::prelude::*;
use odeon_example_run::{Post, RunError, finish_line, runtime, theater_with};
use odeon_speculative::{SpawnSpeculative, SpeculativeRef};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// What has been done so far.
#[derive(Default)]
pub(super) struct SimulationTally {
    /// Requests of simulation actors that were answered.
    pub(super) requests: AtomicU64,
    /// Looks of log actors that were answered.
    pub(super) looks: AtomicU64,
    /// Points that a log actor has seen with a value and then with another one, or none; if that is
    /// checked.
    pub(super) taken_back: AtomicU64,
    /// Events that were searched for, in attempts that were rolled back too.
    pub(super) searches: AtomicU64,
}

/// A simulation that is set up and has not begun.
pub struct SimulationRun {
    pub(super) task: Arc<SimulationTask>,
    pub(super) main: SpeculativeRef<ToMain>,
    pub(super) tally: Arc<SimulationTally>,
    theater: Theater,
    setup: SimulationSetup,
    is_checked: bool,
    pictures: Option<Progressing>,
}

/// What came out.
pub struct SimulationOutcome {
    /// Points that were simulated.
    pub points: u64,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// All values.
    pub grid: Field,
    /// If that is checked: an order in which one thread comes to the same.
    pub serial_order: Option<Vec<u32>>,
}

impl SimulationRun {
    /// Of this task.
    ///
    /// # Errors
    /// If the theater cannot be started.
    pub fn new(task: SimulationTask, setup: SimulationSetup) -> Result<Self, RunError> {
        let task = Arc::new(task);
        let theater = theater_with(setup.workers)?;
        let tally = Arc::<SimulationTally>::default();
        let actor = MainActor::new(task.clone(), tally.clone());
        let main = theater.spawn_speculative(actor, setup.processing.clone());
        Ok(Self { task, main, tally, theater, setup, is_checked: false, pictures: None })
    }

    /// What is simulated.
    pub fn task(&self) -> &SimulationTask {
        &self.task
    }

    /// The main actor.
    pub fn main_actor(&self) -> &SpeculativeRef<impl Message + use<>> {
        &self.main
    }

    /// Checks also that one thread could have simulated the same, and that no look has seen what
    /// was taken back.
    #[must_use]
    pub fn checked(self) -> Self {
        Self { is_checked: true, ..self }
    }

    /// Has the first log actor draw what it sees.
    pub(super) fn drawn(self, pictures: Progressing) -> Self {
        Self { pictures: Some(pictures), ..self }
    }

    /// Simulates all points, and checks the grid.
    ///
    /// # Errors
    /// If a request was lost, or a point is not as it should be.
    pub fn simulate(&self) -> Result<SimulationOutcome, RunError> {
        self.simulate_and(|working| working())
    }

    /// As [`simulate`](Self::simulate); `meanwhile` is called with what simulates.
    pub(super) fn simulate_and(
        &self,
        meanwhile: impl FnOnce(&dyn Fn() -> Result<(), RunError>) -> Result<(), RunError>,
    ) -> Result<SimulationOutcome, RunError> {
        let Self { task, setup, .. } = self;
        let ended = Arc::new(AtomicBool::new(false));
        let looks = Looks {
            main: self.main.actor_ref(),
            reads: setup.reads,
            nodes: task.start.values().len(),
            count: setup.log_points.min(task.start.values().len()),
            ended: ended.clone(),
            tally: self.tally.clone(),
            is_checked: self.is_checked,
        };
        let new_log = |number| {
            let pictures = self.pictures.clone().filter(|_| number == 0);
            self.theater.spawn(LogActor::new(looks.clone(), pictures))
        };
        let logs: Vec<_> = (0..setup.logs).map(new_log).collect();

        let simulators = setup.simulators;
        let (finish, waiting) = finish_line(simulators);
        let (recorder, recorded) = channel();
        let requests = Requests {
            main: self.main.actor_ref(),
            all_points: task.path.len(),
            asked_for: Arc::default(),
            points: setup.points,
            is_point_by_point: setup.is_point_by_point,
            tally: self.tally.clone(),
            recorder: self.is_checked.then_some(recorder),
            finish,
        };
        let new_simulator = |_| self.theater.spawn(Simulator::new(requests.clone()));
        let simulators: Vec<_> = (0..simulators).map(new_simulator).collect();

        let begun = Instant::now();
        let outcome = meanwhile(&|| {
            logs.iter().for_each(|log| log.post(ToLog::Begin));
            simulators.iter().for_each(|simulator| simulator.post(ToSimulator::Begin));
            waiting.wait()
        });
        let elapsed = begun.elapsed();
        // ORDERING: Relaxed: log actors look again and again, and only stop for it.
        ended.store(true, Ordering::Relaxed);
        outcome?;

        let grid = self.main.ask(ToMain::Grid).wait().map_err(runtime)?;
        task.check(&grid).map_err(RunError::WrongResult)?;
        let wrong = RunError::WrongResult;
        let records: Vec<Simulated> = recorded.try_iter().flatten().collect();
        let find = || serial_order::find(task, &records, &grid).map_err(wrong);
        let serial_order = self.is_checked.then(find).transpose()?;
        match self.tally.taken_back.load(Ordering::Relaxed) {
            0 => Ok(SimulationOutcome {
                points: task.path.len() as u64,
                elapsed,
                grid,
                serial_order,
            }),
            points => Err(wrong(format!("{points} points were seen to lose their values"))),
        }
    }
}
