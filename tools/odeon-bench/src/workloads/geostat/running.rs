//! One simulation by actors, from the theater to the checked grid.

use super::log_actor::{LogActor, Looks, ToLog};
use super::main_actor::{MainActor, ToMain};
use super::pictures::Progressing;
use super::simulator::{Requests, Simulator, ToSimulator};
use super::{Reads, processing, searched_task};
use crate::error::BenchError;
use crate::finish::finish_line;
use crate::geostat::serial_order;
use crate::geostat::simulation::{Simulated, Task};
use crate::geostat::training_image::Field;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::{Post, runtime, theater};
use crate::trace;
use odeon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// What has been done so far.
#[derive(Default)]
pub(super) struct Tally {
    /// Requests of simulation actors that were answered.
    pub(super) requests: AtomicU64,
    /// Looks of log actors that were answered.
    pub(super) looks: AtomicU64,
    /// Points that a log actor has seen with a value and then with another one, or none; if that is checked.
    pub(super) taken_back: AtomicU64,
    /// Events that were searched for, in attempts that were rolled back too.
    pub(super) searches: AtomicU64,
}

/// A simulation that is set up and has not begun.
pub(super) struct Run {
    pub(super) task: Arc<Task>,
    pub(super) main: SpeculativeRef<ToMain>,
    pub(super) tally: Arc<Tally>,
    theater: Theater,
    params: Params,
    is_checked: bool,
    pictures: Option<Progressing>,
}

/// What came out.
pub(super) struct Outcome {
    pub(super) measured: Measured,
    pub(super) grid: Field,
    /// If that is checked: an order in which one thread comes to the same.
    pub(super) serial_order: Option<Vec<u32>>,
}

impl Run {
    pub(super) fn new(params: &Params) -> Result<Self, BenchError> {
        Self::of(searched_task(params)?, params)
    }

    /// Of this task.
    pub(super) fn of(task: Task, params: &Params) -> Result<Self, BenchError> {
        let task = Arc::new(task);
        let theater = theater(params)?;
        let tally = Arc::<Tally>::default();
        let actor = MainActor::new(task.clone(), tally.clone());
        let main = theater.spawn_speculative(actor, processing(params.word("mode")));
        trace::watch(&main);
        let params = params.clone();
        Ok(Self { task, main, tally, theater, params, is_checked: false, pictures: None })
    }

    /// Checks also that one thread could have simulated the same, and that no look has seen what was taken back.
    pub(super) fn checked(self) -> Self {
        Self { is_checked: true, ..self }
    }

    /// Has the first log actor draw what it sees.
    pub(super) fn drawn(self, pictures: Progressing) -> Self {
        Self { pictures: Some(pictures), ..self }
    }

    /// Simulates all points, and checks the grid.
    pub(super) fn simulate(&self) -> Result<Outcome, BenchError> {
        self.simulate_and(|working| working())
    }

    /// As [`simulate`](Self::simulate); `meanwhile` is called with what simulates.
    pub(super) fn simulate_and(
        &self,
        meanwhile: impl FnOnce(&dyn Fn() -> Result<(), BenchError>) -> Result<(), BenchError>,
    ) -> Result<Outcome, BenchError> {
        let Self { task, params, .. } = self;
        let ended = Arc::new(AtomicBool::new(false));
        let looks = Looks {
            main: self.main.actor_ref(),
            reads: Reads::named(params.word("reads")),
            nodes: task.start.values().len(),
            count: params.count("log_points").min(task.start.values().len()),
            ended: ended.clone(),
            tally: self.tally.clone(),
            is_checked: self.is_checked,
        };
        let new_log = |number| {
            let pictures = self.pictures.clone().filter(|_| number == 0);
            self.theater.spawn(LogActor::new(looks.clone(), pictures))
        };
        let logs: Vec<_> = (0..params.count("logs")).map(new_log).collect();

        let simulators = params.count("simulators");
        let (finish, waiting) = finish_line(simulators);
        let (recorder, recorded) = channel();
        let requests = Requests {
            main: self.main.actor_ref(),
            all_points: task.path.len(),
            asked_for: Arc::default(),
            points: params.count("points"),
            is_point_by_point: params.word("step") == "point",
            tally: self.tally.clone(),
            recorder: self.is_checked.then_some(recorder),
            finish,
        };
        let new_simulator = |_| self.theater.spawn(Simulator::new(requests.clone()));
        let simulators: Vec<_> = (0..simulators).map(new_simulator).collect();

        let (measured, outcome) = Measured::time(task.path.len() as u64, || {
            meanwhile(&|| {
                logs.iter().for_each(|log| log.post(ToLog::Begin));
                simulators.iter().for_each(|simulator| simulator.post(ToSimulator::Begin));
                waiting.wait()
            })
        });
        // ORDERING: Relaxed: log actors look again and again, and only stop for it.
        ended.store(true, Ordering::Relaxed);
        outcome?;

        let grid = self.main.ask(ToMain::Grid).wait().map_err(runtime)?;
        task.check(&grid).map_err(BenchError::WrongResult)?;
        let wrong = BenchError::WrongResult;
        let records: Vec<Simulated> = recorded.try_iter().flatten().collect();
        let find = || serial_order::find(task, &records, &grid).map_err(wrong);
        let serial_order = self.is_checked.then(find).transpose()?;
        match self.tally.taken_back.load(Ordering::Relaxed) {
            0 => Ok(Outcome { measured, grid, serial_order }),
            points => Err(wrong(format!("{points} points were seen to lose their values"))),
        }
    }
}
