//! What a device actor costs for each launch: the same launch on host memory, bare and by an actor.
//!
//! `cargo run --release -p odeon-device --example launch_overhead [ROUNDS] [LAUNCHES]`
//!
//! Each round measures all manners one after the other, in an order that turns; a figure is the median over the rounds of the mean time of
//! a launch. `over bare` is what the runtime adds. Whoever asks one by one waits for each answer: `awake` looks for it all the time,
//! `asleep` has the operating system wake it up.

use std::error::Error;
use std::hint::{black_box, spin_loop};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use odeon_core::{Ask, Message, Reply, Theater};
use odeon_device::*;

/// Words that a kernel changes: some hundred nanoseconds of work.
const WORDS: usize = 1_024;

enum Launch {
    Only,
    AndTell(Reply<u32>),
}
impl Message for Launch {}

struct Counting {
    words: HostBuffer,
}

fn kernel(words: &mut HostBuffer) -> u32 {
    for word in words.as_mut_slice::<u32>() {
        *word = word.wrapping_mul(3).wrapping_add(1);
    }
    words.as_slice::<u32>()[0]
}

impl DeviceActor for Counting {
    type Msg = Launch;
    type Device = HostDevice;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Launch>,
        device: &mut HostDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let words = &mut self.words;
        let result = device.launch(|| kernel(words));
        batch.finish(|message| {
            if let Launch::AndTell(reply) = message {
                reply.send(result);
            }
        });
        Ok(())
    }
}

fn make() -> Result<(Counting, HostDevice), DeviceError> {
    let mut device = HostDevice::new(1 << 20);
    Ok((Counting { words: device.allocate(4 * WORDS)? }, device))
}

/// The answer, by a thread that does not sleep, and lets others have its core now and then.
fn await_awake(ask: Ask<u32>) -> u32 {
    let mut ask = pin!(ask);
    for look in 1_u64.. {
        let mut context = Context::from_waker(Waker::noop());
        match ask.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return answer.expect("it answers"),
            Poll::Pending if look % 256 == 0 => yield_now(),
            Poll::Pending => spin_loop(),
        }
    }
    unreachable!("it looks until there is an answer")
}

type Manner<'a> = (&'a str, Box<dyn FnMut(u32) + 'a>);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().map_or(Ok(31), |text| text.parse())?;
    let launches: u32 = arguments.next().map_or(Ok(5_000), |text| text.parse())?;

    let theater = Theater::builder().workers(1).build()?;
    let at_once = Batching::new().window(Duration::ZERO);
    let one = theater.spawn_device("one", at_once.clone().at_most(1), make)?;
    let many = theater.spawn_device("many", at_once, make)?;
    let (mut bare, mut device) = make()?;

    let ask = || one.ask(Launch::AndTell);
    let pipelined = |actor: &DeviceRef<Launch>, launches: u32| {
        for _ in 1..launches {
            assert!(actor.send(Launch::Only).is_ok(), "it lives");
        }
        black_box(actor.ask(Launch::AndTell).wait().expect("it answers"));
    };
    let mut manners: Vec<Manner<'_>> = vec![
        (
            "bare",
            Box::new(move |launches| {
                for _ in 0..launches {
                    let words = &mut bare.words;
                    black_box(device.launch(|| kernel(words)));
                }
            }),
        ),
        (
            "actor, one by one, asker awake",
            Box::new(|launches| {
                (0..launches).for_each(|_| _ = black_box(await_awake(ask())));
            }),
        ),
        (
            "actor, one by one, asker asleep",
            Box::new(|launches| {
                (0..launches).for_each(|_| _ = black_box(ask().wait().expect("it answers")));
            }),
        ),
        ("actor, pipelined, a launch a message", Box::new(|launches| pipelined(&one, launches))),
        ("actor, pipelined, in batches", Box::new(|launches| pipelined(&many, launches))),
    ];

    let mut means: Vec<Vec<f64>> = vec![Vec::new(); manners.len()];
    for round in 0..rounds + 1 {
        for turn in 0..manners.len() {
            let which = (round + turn) % manners.len();
            let begun = Instant::now();
            (manners[which].1)(launches);
            let mean = begun.elapsed().as_secs_f64() * 1e6 / f64::from(launches);
            // The first round is for caches and clocks of the processor.
            if round > 0 {
                means[which].push(mean);
            }
        }
    }
    let median = |means: &mut Vec<f64>| {
        means.sort_by(f64::total_cmp);
        means[means.len() / 2]
    };
    println!(
        "{rounds} rounds of {launches} launches of {WORDS} words; microseconds a launch or message"
    );
    println!("{:38} {:>9} {:>9} {:>9} {:>9}", "", "median", "best", "worst", "over bare");
    let bare = median(&mut means[0]);
    for ((name, _), means) in manners.iter().zip(&mut means) {
        let median = median(means);
        let (best, worst) = (means[0], means[means.len() - 1]);
        println!("{name:38} {median:>9.3} {best:>9.3} {worst:>9.3} {:>9.3}", median - bare);
    }
    drop(manners);
    println!("a launch a message: {}", one.stats());
    println!("in batches:         {}", many.stats());
    Ok(())
}
