//! A page that counts its visits in an atomic beside its state. A handler runs once for each
//! attempt, and what an attempt does to anything but variables stays when that is rolled back.

use super::{Way, check, client, processing};
use odeon_core::{Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct Page {
    text: TVar<u64>,
    visits: Arc<AtomicU64>,
    way: Way,
}

struct Edit(Reply<()>);
impl Message for Edit {}

impl SpeculativeActor for Page {
    type Msg = Edit;
    fn handle<'t>(
        &'t self,
        Edit(reply): &'t Edit,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match self.way {
            Way::Wrong => _ = self.visits.fetch_add(1, Relaxed),
            Way::Right => {
                let visits = self.visits.clone();
                tx.on_commit(move || _ = visits.fetch_add(1, Relaxed));
            }
        }
        self.text.update(tx, |text| text + 1)?;
        ctx.reply(reply, ());
        Ok(())
    }
}

/// There are as many visits as edits.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, visits) = (Deterministic::new(seed), Arc::new(AtomicU64::new(0)));
    let page = Page { text: TVar::new(0), visits: visits.clone(), way };
    let page = run.theater().spawn_speculative(page, processing(seed));
    for _ in 0..4 {
        let mut left = 3;
        client(run.theater(), &page, move |_, reply| {
            left -= 1;
            (left >= 0).then_some(Edit(reply))
        });
    }
    run.run_until_idle();
    visits.load(Relaxed) == 12
}

#[test]
fn s23_a_handler_runs_once_for_each_attempt() {
    check(keeps_its_promise);
}
