use super::*;
use odeon::prelude::*;
use odeon_device::Worker;
use odeon_example_iterative::devices::device_for;
use odeon_example_iterative::{Crew, CrewRun};
use odeon_example_kmeans::Points;
use odeon_example_run::theater_with;
use std::sync::Arc;

fn by_crew(
    theater: &Theater,
    crew: Crew<SamplesPiece>,
    samples: &Arc<Labelled>,
    pieces: usize,
    steps: Steps,
) -> Fitted {
    let rounds = Descent::new(samples.clone(), pieces, steps);
    CrewRun::new(theater, rounds, crew).complete().expect("no worker fails").into_fitted()
}

fn by_actors(samples: &Arc<Labelled>, pieces: usize, steps: Steps) -> Fitted {
    let theater = theater_with(2).expect("it starts");
    let mut crew = Crew::new();
    crew.add(&theater, OnCores).expect("no thread is needed");
    crew.add(&theater, OnCores).expect("no thread is needed");
    by_crew(&theater, crew, samples, pieces, steps)
}

/// Whole blocks and broken ones, one piece and several at once, and both kinds of workers side by
/// side.
#[test]
fn kernels_and_pools_agree_with_the_reference() {
    let Some(device) = device_for("kernels of logistic regression") else { return };
    for (rows, dims, pieces) in [(1, 1, 1), (256, 3, 1), (1000, 16, 7), (700, 37, 3)] {
        let samples = Arc::new(generate(rows, dims, 3).0);
        let steps = Steps { rounds: 25, rate: 0.5 };
        let expected = sequential(&samples, steps);
        let theater = theater_with(2).expect("it starts");
        let mut kernels = Crew::new();
        let worker = ByKernels::on(device).expect("it was there");
        kernels.add(&theater, worker).expect("a thread can be started");
        let pool = balanced(device, 1, 2).profile_of(25 * pieces as u64);
        let pool = Crew::Pool(pool.start(&theater).expect("it starts"));
        for crew in [kernels, pool] {
            let found = by_crew(&theater, crew, &samples, pieces, steps);
            check(&found, &expected).unwrap_or_else(|e| panic!("{rows} x {dims}: {e}"));
        }
    }
}

/// One piece by kernels: as close to the function for cores as sums in `f32` can be, and the same
/// each time.
#[test]
fn kernels_find_the_gradient_that_cores_find() {
    let Some(device) = device_for("the gradient by kernels") else { return };
    let mut worker = ByKernels::on(device).expect("it was there");
    // The second begins within the points; the last ones have scores whose powers are beyond all
    // numbers.
    let known = Arc::new(generate(900, 10, 5).0);
    let points = Points::new(1, vec![1000.0, -1000.0, 1000.0]);
    let far = Arc::new(Labelled { points, labels: [1.0, 1.0, 0.0].into() });
    for (samples, rows) in [(&known, 0..900), (&known, 301..800), (&far, 0..3)] {
        let dims = samples.points.dims();
        let weights: Arc<[f32]> = (0..=dims).map(|n| 1.0 - n as f32 / dims as f32).collect();
        let partial = Partial::new(dims + 1);
        let samples = samples.clone();
        let mut batch = [SamplesPiece { number: 0, samples, rows, weights, partial }];
        worker.work(&mut batch).expect("it works");
        let first = batch[0].partial.clone();
        worker.work(&mut batch).expect("it works");
        assert_eq!(batch[0].partial, first);
        OnCores.work(&mut batch).expect("it works");
        let expected = &batch[0].partial;
        let pairs = first.gradient.iter().zip(&expected.gradient);
        for (one, other) in pairs.chain([(&first.loss, &expected.loss)]) {
            assert!((one - other).abs() <= 1e-3 + 1e-5 * other.abs(), "{one} instead of {other}");
        }
    }
}

#[test]
fn actors_threads_and_the_reference_agree() {
    for (rows, dims, pieces) in [(1, 1, 1), (50, 15, 7), (333, 16, 8), (2500, 37, 3), (40, 3, 40)] {
        let samples = Arc::new(generate(rows, dims, 3).0);
        let steps = Steps { rounds: 25, rate: 0.5 };
        let expected = sequential(&samples, steps);
        let threads = Threads::new(2).expect("they start").descend(&samples, steps);
        for found in [threads, on_one_thread(&samples, steps), by_actors(&samples, pieces, steps)] {
            check(&found, &expected).unwrap_or_else(|e| panic!("{rows} x {dims}: {e}"));
        }
    }
}

#[test]
fn the_known_weights_are_found() {
    let (samples, known) = generate(20_000, 4, 11);
    let found = by_actors(&Arc::new(samples.clone()), 8, Steps { rounds: 300, rate: 1.0 });
    for (found, known) in found.weights.iter().zip(&known) {
        assert!((f64::from(*found) - known).abs() < 0.12, "{found} instead of {known}");
    }
    // Of weights that say nothing: the logarithm of 2.
    let nothing = on_one_thread(&samples, Steps { rounds: 1, rate: 0.0 });
    assert!((nothing.loss - 2.0_f64.ln()).abs() < 1e-6 && found.loss < nothing.loss - 0.05);
}

#[test]
fn scores_of_any_size_have_a_loss() {
    let points = [1000.0, -1000.0, 1000.0];
    let mut partial = Partial::new(2);
    gradient(&points, &[1.0, 1.0, 0.0], &[1.0, 0.0], &mut partial);
    assert_eq!(partial.loss, 2000.0);
    assert_eq!(partial.gradient, [1000.0 + 1000.0, -1.0 + 1.0]);
}

#[test]
fn a_wrong_outcome_is_refused() {
    let (samples, _) = generate(100, 2, 1);
    let right = sequential(&samples, Steps { rounds: 5, rate: 0.5 });
    let wrong = |change: fn(&mut Fitted)| {
        let mut fitted = right.clone();
        change(&mut fitted);
        check(&fitted, &right).unwrap_err().to_string()
    };
    assert!(check(&right, &right).is_ok());
    assert!(wrong(|it| it.weights[1] += 0.01).contains("a weight is"));
    assert!(wrong(|it| it.weights[1] = f32::NAN).contains("a weight is NaN"));
    assert!(wrong(|it| _ = it.weights.pop()).contains("2 weights, not 3"));
    assert!(wrong(|it| it.loss += 0.001).contains("the loss is"));
}
