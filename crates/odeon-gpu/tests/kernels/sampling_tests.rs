//! Direct Sampling: the same position as a search by plain Rust, always: nothing in it is rounded.

use crate::sampling::{Event, Image, Match};
use crate::support::{Numbers, on_each_device};

/// The same search, one position after the other.
fn reference(image: &[u32], width: u32, order: &[u32], event: &Event) -> Option<Match> {
    let height = image.len() as u32 / width;
    let mut best: Option<(u32, u32)> = None;
    for place in 0..order.len() {
        let position = order[(place + event.start as usize) % order.len()];
        let (x, y) = ((position % width) as i32, (position / width) as i32);
        let there = |(dx, dy): (i32, i32)| {
            let (x, y) = (x + dx, y + dy);
            let inside = x >= 0 && y >= 0 && x < width as i32 && y < height as i32;
            inside.then(|| image[(y * width as i32 + x) as usize])
        };
        let values: Option<Vec<u32>> = event.known.iter().map(|(at, _)| there(*at)).collect();
        let Some(values) = values else { continue };
        let mismatches =
            values.iter().zip(&event.known).filter(|(v, (_, k))| *v != k).count() as u32;
        if best.is_none_or(|(fewest, _)| mismatches < fewest) {
            best = Some((mismatches, position));
            if mismatches <= event.allowed() {
                break;
            }
        }
    }
    best.map(|(mismatches, position)| Match {
        position,
        distance: mismatches as f32 / event.known.len().max(1) as f32,
    })
}

/// Stripes with noise: something to find, and something in the way.
fn image(width: u32, height: u32, numbers: &mut Numbers) -> Vec<u32> {
    (0..width * height)
        .map(|n| {
            let stripe = (n % width + 2 * (n / width)) / 5 % 2;
            if numbers.below(20) == 0 { numbers.below(3) as u32 } else { stripe }
        })
        .collect()
}

fn shuffled(count: u32, numbers: &mut Numbers) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    for n in (1..order.len()).rev() {
        order.swap(n, numbers.below(n as u64 + 1) as usize);
    }
    order
}

fn events(count: usize, positions: u32, numbers: &mut Numbers) -> Vec<Event> {
    (0..count)
        .map(|_| {
            let neighbours = numbers.below(16) as usize;
            let mut offset = || numbers.below(21) as i32 - 10;
            let at: Vec<(i32, i32)> = (0..neighbours).map(|_| (offset(), offset())).collect();
            Event {
                known: at.into_iter().map(|at| (at, numbers.below(3) as u32)).collect(),
                start: numbers.below(u64::from(positions)) as u32,
                threshold: numbers.below(4) as f32 * 0.1,
            }
        })
        .collect()
}

#[test]
fn many_events_in_one_launch_find_what_plain_rust_finds() {
    on_each_device("the search of Direct Sampling", |mut gpu, device| {
        for (width, height, count) in [(60, 50, 40), (13, 9, 7), (30, 30, 1)] {
            let mut numbers = Numbers(u64::from(width));
            let image = image(width, height, &mut numbers);
            let order = shuffled(width * height, &mut numbers);
            let there = Image::new(&mut gpu, &image, width, order.clone()).expect("room");
            let events = events(count, width * height, &mut numbers);
            let found = there.search(&mut gpu, &events).expect("a search");
            for (event, found) in events.iter().zip(&found) {
                assert_eq!(*found, reference(&image, width, &order, event), "{device}: {event:?}");
            }
            // Both ways to end were taken: a position that is good enough, and the best of all.
            let good = |(event, found): (&Event, &Option<Match>)| {
                found.map(|found| found.distance <= event.threshold)
            };
            let ends: Vec<bool> = events.iter().zip(&found).filter_map(good).collect();
            assert!(count < 40 || (ends.contains(&true) && ends.contains(&false)), "{ends:?}");
        }
    });
}

#[test]
fn an_event_that_fits_nowhere_finds_nothing() {
    on_each_device("a search without a result", |mut gpu, _| {
        let there = Image::new(&mut gpu, &[0; 100], 10, (0..100).collect()).expect("room");
        let event = Event { known: vec![((-10, 0), 0)], start: 5, threshold: 1.0 };
        let fits = Event { known: vec![((-9, 0), 0)], start: 5, threshold: 1.0 };
        let found = there.search(&mut gpu, &[event, fits]).expect("a search");
        assert_eq!(found, [None, Some(Match { position: 9, distance: 0.0 })]);
    });
}
