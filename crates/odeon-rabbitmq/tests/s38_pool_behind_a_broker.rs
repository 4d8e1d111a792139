//! S38 by a real broker: a pool whose workers are all elsewhere, and a broker that is killed and
//! started again.

use crate::support::job::{Job, What, numbers};
use crate::support::process::{self, WorkerProcess};
use crate::support::{LONG, broker};
use odeon_core::{Ask, Theater};
use odeon_device::{BalancingPool, Kind, Place, Returned};
use odeon_rabbitmq::{Asking, RabbitWorker};
use std::thread;
use std::time::Duration;

#[test]
fn s38_a_pool_whose_broker_is_started_again_has_all_its_pieces_done() {
    const NAME: &str = "s38_a_pool_whose_broker_is_started_again_has_all_its_pieces_done";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::start(NAME) else { return };
    let queue = broker.queue("pool");
    let _processes = [1, 1].map(|at_once| WorkerProcess::start(NAME, &queue, at_once));
    let theater = Theater::new().unwrap();
    let asking = Asking { at_once: 1, answer_within: LONG, ..Asking::default() };
    let elsewhere = Kind::new("elsewhere", Place::Device, 2, move |_| {
        RabbitWorker::<Job>::connect(&queue, asking.clone())
    });
    let pool = BalancingPool::builder()
        .kind(elsewhere)
        .on_failure(|failure| println!("{failure}"))
        .start(&theater)
        .unwrap();
    let input = numbers(1_000);
    let work = |ms| {
        let slowly = |factor| Job::new(&input, What::Slowly { factor, ms });
        pool.submit_all((0..20).map(slowly).collect())
    };
    let done = |ask: Ask<Vec<Returned<Job>>>| {
        for piece in ask.wait().unwrap() {
            piece.map_err(|undone| undone.to_string()).unwrap().is_right();
        }
    };
    done(work(1));
    let under_way = work(200);
    thread::sleep(Duration::from_millis(500));
    broker.kill();
    // Long enough for many attempts to find none.
    thread::sleep(Duration::from_secs(6));
    broker.begin().unwrap();
    done(under_way);
    let report = pool.report();
    assert!(report.kinds[0].left_out.is_none() && report.kinds[0].failures > 2, "{report:?}");
}
