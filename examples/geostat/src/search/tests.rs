use super::*;
use crate::channels;
use crate::training_image::Field;
use odeon_example_iterative::devices::device_for;
use odeon_example_run::SplitMix64;

fn limits(threshold: f32, fraction: f32) -> Limits {
    Limits { threshold, fraction }
}

fn event(draw: u64, neighbours: &[(i16, i16, f32)]) -> DataEvent {
    let neighbours = neighbours.iter().map(|&(dx, dy, value)| Neighbour { dx, dy, value });
    DataEvent { draw, neighbours: neighbours.collect() }
}

/// Events of all sizes: some from the image itself, some with values at random.
fn events(image: &TrainingImage, radius: u64, count: usize, seed: u64) -> Vec<DataEvent> {
    let mut random = SplitMix64::new(seed);
    let field = image.field();
    let make = |_| {
        let mut below = |limit: u64| random.next() % limit;
        let (x, y) = (below(field.width() as u64) as i64, below(field.height() as u64) as i64);
        let is_copied = below(2) == 0;
        let neighbours = (0..below(20)).filter_map(|_| {
            let dx = below(2 * radius + 1) as i64 - radius as i64;
            let dy = below(2 * radius + 1) as i64 - radius as i64;
            let inside = (0..field.width() as i64).contains(&(x + dx))
                && (0..field.height() as i64).contains(&(y + dy));
            let there = || field.at((x + dx) as usize, (y + dy) as usize);
            let any = field.values()[below(field.values().len() as u64) as usize];
            let value = if is_copied { inside.then(there)? } else { any };
            Some(Neighbour { dx: dx as i16, dy: dy as i16, value })
        });
        let neighbours = neighbours.collect();
        DataEvent { draw: random.next(), neighbours }
    };
    (0..count).map(make).collect()
}

fn find_all(search: &dyn ImageSearch, events: &[DataEvent]) -> Vec<FoundPlace> {
    let mut answers = vec![FoundPlace::default(); events.len()];
    search.find(events, &mut answers);
    answers
}

/// Images of some kinds of categories.
fn images() -> [Arc<TrainingImage>; 4] {
    let mut random = SplitMix64::new(11);
    let mut many = |categories: u64| {
        let values = (0..77 * 40).map(|_| (random.next() % categories * 3) as f32).collect();
        Arc::new(TrainingImage::new(Field::new(77, values)).expect("complete"))
    };
    [Arc::new(channels::generate(150, 90, 4)), many(2), many(5), many(1)]
}

const LIMITS: [(f32, f32); 6] =
    [(0.0, 1.0), (0.0, 0.01), (0.07, 0.5), (0.14, 1.0), (0.3, 0.2), (1.0, 1.0)];

#[test]
fn packed_and_plain_find_the_same() {
    for image in &images() {
        for (threshold, fraction) in LIMITS {
            for radius in [1, 8, 60] {
                let events = events(image, radius, 60, radius);
                let limits = limits(threshold, fraction);
                let packed = find_all(&PackedSearch::new(image, limits), &events);
                let plain = find_all(&PlainSearch::new(image.clone(), limits), &events);
                for ((event, packed), plain) in events.iter().zip(packed).zip(plain) {
                    assert_eq!(packed, plain, "{threshold} {fraction} {radius}: {event:?}");
                }
            }
        }
    }
}

/// Nothing in it is rounded: so they are equal, how much was scanned included. Of numbers too where
/// sums are rounded to the nearest, as processors do that stand in for a device.
#[test]
fn kernels_and_plain_find_the_same() {
    let Some(device) = device_for("the search by kernels") else { return };
    let mut random = SplitMix64::new(3);
    let values = (0..61 * 50).map(|_| (random.next() % 1000) as f32 / 7.0).collect();
    let numbers = Arc::new(TrainingImage::new(Field::new(61, values)).expect("complete"));
    for image in images().iter().chain([&numbers]) {
        for (threshold, fraction) in LIMITS {
            let limits = limits(threshold, fraction);
            let search = KernelSearch::on(device, image.clone(), limits).expect("it was there");
            let plain = PlainSearch::new(image.clone(), limits);
            // One event and many; smaller and larger than the image.
            for (radius, count) in [(1, 1), (8, 60), (60, 33)] {
                let mut events = events(image, radius, count, radius);
                events.push(event(radius, &[]));
                let pairs = find_all(&search, &events).into_iter().zip(find_all(&plain, &events));
                for (event, (kernels, plain)) in events.iter().zip(pairs) {
                    assert_eq!(kernels, plain, "{threshold} {fraction} {radius}: {event:?}");
                }
            }
            search.find(&[], &mut []);
        }
    }
}

#[test]
fn threads_search_on_one_device_at_the_same_time() {
    let Some(device) = device_for("threads that search by kernels") else { return };
    let image = Arc::new(channels::generate(100, 80, 2));
    let limits = limits(0.0, 0.5);
    let search = KernelSearch::on(device, image.clone(), limits).expect("it was there");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (search, image) = (&search, &image);
            scope.spawn(move || {
                for round in 0..5 {
                    let events = events(image, 10, 20, seed * 5 + round);
                    let expected = find_all(&PackedSearch::new(image, limits), &events);
                    assert_eq!(find_all(search, &events), expected);
                }
            });
        }
    });
}

#[test]
fn an_event_of_the_image_is_found_there() {
    let image = Arc::new(channels::generate(80, 80, 9));
    let search = best(&image, limits(0.0, 1.0));
    for event in events(&image, 10, 300, 5) {
        let mut found = [FoundPlace::default()];
        search.find(std::slice::from_ref(&event), &mut found);
        let (x, y) = (found[0].place as i64 % 80, found[0].place as i64 / 80);
        let differing = event.neighbours.iter().filter(|one| {
            let (x, y) = (x + i64::from(one.dx), y + i64::from(one.dy));
            image.field().at(x as usize, y as usize) != one.value
        });
        let expected = found[0].distance * event.neighbours.len().max(1) as f32;
        assert_eq!(differing.count() as f32, expected.round());
    }
}

#[test]
fn the_first_that_is_near_enough_is_taken_and_else_the_nearest() {
    // One row: 0 1 2 3 4 5 6 7 8 9, with numbers that are their own places.
    let values: Vec<f32> = (0..20).map(|n| n as f32).collect();
    let image = Arc::new(TrainingImage::new(Field::new(20, values)).expect("complete"));
    assert!(matches!(image.kind(), ValueKind::Continuous(19.0)));
    let find = |limits, event: &DataEvent| {
        find_all(&*best(&image, limits), std::slice::from_ref(event))[0]
    };
    // The neighbour to the right is 8.3: nearest at 7, but 6 is near enough when it comes first.
    let right = event(0, &[(1, 0, 8.3)]);
    let exact = find(limits(0.0, 1.0), &right);
    assert_eq!((exact.place, exact.scanned), (7, 19));
    assert!((exact.distance - 0.3 / 19.0).abs() < 1e-5, "{exact:?}");
    let near = find(limits(0.1, 1.0), &right);
    assert_eq!((near.place, near.scanned), (6, 7));
    // From the last node of the window on it goes round.
    let round = find(limits(0.1, 1.0), &event(18, &[(1, 0, 1.0)]));
    assert_eq!((round.place, round.scanned), (0, 2));
    // A tenth of 19 nodes, from the 3rd on.
    let part = find(limits(0.0, 0.1), &event(2, &[(1, 0, 8.3)]));
    assert_eq!((part.place, part.scanned), (3, 2));
}

#[test]
fn without_neighbours_the_drawn_node_is_taken() {
    let image = Arc::new(channels::generate(30, 20, 1));
    for draw in [0, 599, 600, u64::MAX] {
        let search = best(&image, limits(0.0, 0.5));
        let found = find_all(&*search, &[event(draw, &[])])[0];
        assert_eq!((u64::from(found.place), found.distance, found.scanned), (draw % 600, 0.0, 1));
    }
}

#[test]
fn of_an_event_larger_than_the_image_the_closest_neighbours_are_compared() {
    let window =
        |neighbours: &[(i16, i16, f32)]| Window::of(&event(7, neighbours), 10, 8, limits(0.0, 0.5));
    let all = window(&[(-1, 0, 0.0), (5, 2, 0.0)]);
    assert_eq!((all.compared, all.left, all.top, all.columns, all.rows), (2, 1, 0, 4, 6));
    assert_eq!((all.start, all.budget), (7, 12));
    let some = window(&[(-1, 0, 0.0), (9, 0, 0.0), (1, 1, 0.0)]);
    assert_eq!((some.compared, some.columns, some.rows), (1, 9, 8));
    let stretches: Vec<_> = all.stretches().collect();
    assert_eq!(stretches, [(1, 4, 1), (2, 1, 4), (3, 1, 4), (4, 1, 3)]);
    let round = Window { start: 23, ..all };
    assert_eq!(round.stretches().next(), Some((5, 4, 1)));
    assert_eq!(round.stretches().nth(1), Some((0, 1, 4)));
}
