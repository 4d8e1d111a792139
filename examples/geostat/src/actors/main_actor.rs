//! Who holds the grid.

use super::Reads;
use super::running::SimulationTally;
use crate::blocks::{Blocks, Informed};
use crate::nodes::Nodes;
use crate::simulation::{Batch, Simulated, SimulationTask};
use crate::training_image::Field;
use odeon::prelude::*;
use odeon_stm::Rollback;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) enum ToMain {
    Simulate(PointsRequest),
    Look(RowLook, Reply<View>),
    /// Outside the measured part.
    Grid(Reply<Field>),
}

impl Message for ToMain {
    fn message_name(&self) -> &'static str {
        match self {
            Self::Simulate(_) => SIMULATE,
            Self::Look(..) => LOOK,
            Self::Grid(_) => "Grid",
        }
    }
}

pub(super) const SIMULATE: &str = "Simulate";
pub(super) const LOOK: &str = "Look";

/// Points to be simulated in one transaction. WHY a lock: the batch remembers what attempts that
/// were rolled back have searched for. Nobody waits for it, since a message is in one attempt at a
/// time.
pub(super) struct PointsRequest {
    /// How many.
    pub(super) points: usize,
    /// Empty until the request is handled.
    pub(super) batch: Box<Mutex<Batch>>,
    /// Whether the answer says what was simulated from what.
    pub(super) is_recorded: bool,
    pub(super) reply: Option<Reply<Done>>,
}

/// A request was simulated.
#[derive(Default)]
pub(super) struct Done {
    /// If that is recorded: what was simulated from what.
    pub(super) records: Vec<Simulated>,
}

/// Some nodes of the grid, in a row.
pub(super) struct RowLook {
    pub(super) reads: Reads,
    pub(super) first: usize,
    pub(super) count: usize,
    /// The memory of an older view. WHY it comes along: fresh memory of this size is mapped page by
    /// page.
    pub(super) memory: Mutex<Vec<f32>>,
}

/// What was there.
pub(super) struct View {
    pub(super) first: usize,
    pub(super) values: Vec<f32>,
}

pub(super) struct MainActor {
    task: Arc<SimulationTask>,
    grid: Vec<TVar<f32>>,
    /// Which nodes of each block are informed. WHY beside the grid: a point looks at some hundred
    /// nodes until enough of them are informed, and at ten blocks of nodes. That another point of a
    /// block is filled meanwhile has a request looked at again more often; what it has searched for
    /// stays.
    informed: Vec<TVar<Informed>>,
    /// Points of the path that are being simulated, or were. WHY a request gets its points here and
    /// not from who asks: so they are simulated in the order of the path as long as requests are
    /// handled one at a time, whoever asks, and however many.
    begun: AtomicUsize,
    tally: Arc<SimulationTally>,
}

impl MainActor {
    pub(super) fn new(task: Arc<SimulationTask>, tally: Arc<SimulationTally>) -> Self {
        let grid = task.start.values().iter().map(|value| TVar::new(*value)).collect();
        let informed = Blocks::informed(&task.start).into_iter().map(TVar::new).collect();
        Self { task, grid, informed, begun: AtomicUsize::new(0), tally }
    }

    /// Counts searches outside of the transaction: those of attempts that are rolled back are of
    /// interest too.
    fn simulate<'t>(&'t self, batch: &mut Batch, tx: &mut Tx<'t>) -> TxResult {
        let before = batch.searches();
        let simulated = self.task.model.simulate(batch, &mut InTransaction { of: self, tx });
        // ORDERING: Relaxed: a count of what is under way.
        self.tally.searches.fetch_add(batch.searches() - before, Ordering::Relaxed);
        Ok(simulated?)
    }

    /// Gives a request its points, in its first attempt.
    fn begin(&self, batch: &mut Batch, points: usize) {
        if batch.is_empty() {
            // ORDERING: Relaxed: no other request gets these points; transactions order what is
            // simulated.
            let from = self.begun.fetch_add(points, Ordering::Relaxed);
            batch.begin(&self.task.path[from..from + points]);
        }
    }

    fn read<'t>(
        &'t self,
        (first, count): (usize, usize),
        into: &mut Vec<f32>,
        tx: &mut Tx<'t>,
    ) -> TxResult {
        into.clear();
        into.reserve(count);
        for node in &self.grid[first..first + count] {
            into.push(node.get(tx)?);
        }
        Ok(())
    }
}

impl SpeculativeActor for MainActor {
    type Msg = ToMain;

    fn access(message: &ToMain) -> Access {
        match message {
            ToMain::Simulate(_) => Access::Update,
            ToMain::Look(look, _) => look.reads.access(),
            ToMain::Grid(_) => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToMain,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToMain::Simulate(request) => {
                let mut batch = request.batch.lock().unwrap_or_else(PoisonError::into_inner);
                self.begin(&mut batch, request.points);
                self.simulate(&mut batch, tx)?;
                if let Some(reply) = &request.reply {
                    let records = request.is_recorded.then(|| batch.simulated().collect());
                    ctx.reply(reply, Done { records: records.unwrap_or_default() });
                }
            }
            ToMain::Look(look, reply) => {
                let mut memory = look.memory.lock().unwrap_or_else(PoisonError::into_inner);
                self.read((look.first, look.count), &mut memory, tx)?;
                let values = std::mem::take(&mut *memory);
                ctx.reply(reply, View { first: look.first, values });
            }
            ToMain::Grid(reply) => {
                let mut values = Vec::new();
                self.read((0, self.grid.len()), &mut values, tx)?;
                ctx.reply(reply, Field::new(self.task.start.width(), values));
            }
        }
        Ok(())
    }
}

/// The grid as a transaction sees it.
struct InTransaction<'a, 't> {
    of: &'t MainActor,
    tx: &'a mut Tx<'t>,
}

impl Nodes for InTransaction<'_, '_> {
    type Error = Rollback;

    #[inline]
    fn informed(&mut self, block: usize) -> Result<Informed, Rollback> {
        self.of.informed[block].get(self.tx)
    }

    #[inline]
    fn value(&mut self, node: usize) -> Result<f32, Rollback> {
        self.of.grid[node].get(self.tx)
    }

    #[inline]
    fn fill(&mut self, node: usize, value: f32) -> Result<(), Rollback> {
        let (block, bit) = self.of.task.model.neighbourhood().blocks().place(node);
        let informed = &self.of.informed[block];
        let before = informed.get(self.tx)?;
        informed.set(self.tx, before | bit)?;
        self.of.grid[node].set(self.tx, value)
    }
}
