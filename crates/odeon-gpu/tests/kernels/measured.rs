//! How long the kernels take, by hand: `cargo test --release -p odeon-gpu --test kernels -- --ignored --nocapture`.

use std::time::Instant;

use odeon_device::Device;

use crate::kmeans::Points;
use crate::logreg::Rows;
use crate::sampling::{Event, Image};
use crate::support::{Numbers, on_each_device};

/// The median of some runs, in milliseconds, and the first one: it compiles.
fn median(mut work: impl FnMut()) -> (f64, f64) {
    let mut timed = || {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64() * 1e3
    };
    let first = timed();
    let mut times: Vec<f64> = (0..9).map(|_| timed()).collect();
    times.sort_by(f64::total_cmp);
    (times[4], first)
}

#[test]
#[ignore = "it measures, and checks nothing"]
fn kernels_of_the_applications() {
    on_each_device("measuring kernels", |mut gpu, device| {
        println!("{device}");
        let mut numbers = Numbers(1);
        let (count, dimensions, clusters) = (65_536, 32, 16);
        let points: Vec<f32> = (0..count * dimensions).map(|_| numbers.unit()).collect();
        let centres = points[..clusters * dimensions].to_vec();
        let mut there = Points::new(&mut gpu, &points, dimensions, clusters).expect("room");
        let (time, first) = median(|| drop(there.step(&mut gpu, &centres).expect("a step")));
        println!("k-means, 65,536 x 32, 16 clusters: {time:.2} ms a step, first {first:.0} ms");

        let labels: Vec<f32> = (0..count).map(|_| numbers.below(2) as f32).collect();
        let weights = centres[..dimensions].to_vec();
        let mut there = Rows::new(&mut gpu, &points, &labels, dimensions).expect("room");
        let (time, first) = median(|| drop(there.gradient(&mut gpu, &weights).expect("one")));
        println!("logistic regression, 65,536 x 32: {time:.2} ms a gradient, first {first:.0} ms");

        let side = 250u32;
        let image: Vec<u32> = (0..side * side).map(|_| numbers.below(2) as u32).collect();
        let order = (0..side * side).collect();
        let there = Image::new(&mut gpu, &image, side, order).expect("room");
        for threshold in [0.0, 0.2] {
            let events: Vec<Event> = (0..30)
                .map(|_| Event {
                    known: (0..15)
                        .map(|_| {
                            let mut offset = || numbers.below(31) as i32 - 15;
                            ((offset(), offset()), numbers.below(2) as u32)
                        })
                        .collect(),
                    start: numbers.below(u64::from(side * side)) as u32,
                    threshold,
                })
                .collect();
            let (time, first) = median(|| drop(there.search(&mut gpu, &events).expect("a search")));
            println!(
                "direct sampling, 250 x 250, 30 events of 15, threshold {threshold}: {time:.2} ms, first {first:.0} ms"
            );
        }
        assert_eq!(gpu.synchronize(), Ok(()));
    });
}
