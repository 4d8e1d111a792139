//! Who looks at the grid: a log actor asks for some nodes, and upon the answer for the next ones,
//! until the simulation has ended.

use super::Reads;
use super::main_actor::{RowLook, ToMain, View};
use super::pictures::Progressing;
use super::running::SimulationTally;
use crate::training_image::EMPTY;
use odeon::prelude::*;
use odeon_example_run::Post;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Message)]
pub(super) enum ToLog {
    Begin,
    View(Result<View, AskError>),
}

/// What all log actors have in common.
#[derive(Clone)]
pub(super) struct Looks {
    pub(super) main: ActorRef<ToMain>,
    pub(super) reads: Reads,
    /// Nodes of the grid.
    pub(super) nodes: usize,
    /// Nodes of a look.
    pub(super) count: usize,
    pub(super) ended: Arc<AtomicBool>,
    pub(super) tally: Arc<SimulationTally>,
    /// Whether it is counted if a point that was seen has another value later.
    pub(super) is_checked: bool,
}

pub(super) struct LogActor {
    all: Looks,
    /// What was seen last, look by look.
    views: Vec<Vec<f32>>,
    next: usize,
    /// All points that were seen, if that is checked.
    known: Vec<f32>,
    /// Draws what it sees, if it is to.
    pictures: Option<Progressing>,
}

impl LogActor {
    pub(super) fn new(all: Looks, pictures: Option<Progressing>) -> Self {
        let views = vec![Vec::new(); all.nodes.div_ceil(all.count)];
        let known = vec![EMPTY; if all.is_checked { all.nodes } else { 0 }];
        Self { all, views, next: 0, known, pictures }
    }

    fn look(&mut self, ctx: &Context<'_, Self>) {
        let Looks { main, reads, nodes, count, .. } = &self.all;
        let first = self.next * count;
        let memory = Mutex::new(std::mem::take(&mut self.views[self.next]));
        let look = RowLook { reads: *reads, first, count: (*count).min(nodes - first), memory };
        main.post(ToMain::Look(look, ctx.reply_to(ToLog::View)));
        self.next = (self.next + 1) % self.views.len();
    }

    fn see(&mut self, view: View) {
        // ORDERING: Relaxed: a count of what is under way.
        self.all.tally.looks.fetch_add(1, Ordering::Relaxed);
        if self.all.is_checked {
            self.check(&view);
        }
        self.views[view.first / self.all.count] = view.values;
        if let (0, Some(pictures)) = (self.next, &mut self.pictures) {
            pictures.show(&self.views);
        }
    }
}

impl LogActor {
    fn check(&mut self, view: &View) {
        let mut taken_back = 0;
        for (known, seen) in self.known[view.first..].iter_mut().zip(&view.values) {
            taken_back += u64::from(!known.is_nan() && known != seen);
            *known = *seen;
        }
        // ORDERING: Relaxed: as the other counts.
        self.all.tally.taken_back.fetch_add(taken_back, Ordering::Relaxed);
    }
}

impl Actor for LogActor {
    type Msg = ToLog;

    fn handle(&mut self, message: ToLog, ctx: &mut Context<'_, Self>) {
        if let ToLog::View(Ok(view)) = message {
            self.see(view);
        }
        // ORDERING: Relaxed: nothing else hangs on it.
        if !self.all.ended.load(Ordering::Relaxed) {
            self.look(ctx);
        }
    }
}
