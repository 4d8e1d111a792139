use super::*;
use crate::ScaleWay;
use crate::measurements::tests::{LOAD, point};

const LAW: ScalabilityLaw = ScalabilityLaw { one_ns: 2000.0, sigma: 0.03, kappa: 0.001 };

/// Points of the law, with samples that are off by so much in turn.
fn course(workers: &[usize], off: &[f64]) -> Vec<Point> {
    let samples = |workers: &usize| {
        let ns = LAW.ns_at(*workers as f64);
        let samples: Vec<f64> = off.iter().map(|off| ns * (1.0 + off)).collect();
        point(ScaleWay::Mode("concurrent"), *workers, LOAD, &samples)
    };
    workers.iter().map(samples).collect()
}

fn fit_of(course: &[Point]) -> Result<Fit, NoFit> {
    fit(&course.iter().collect::<Vec<_>>(), 1)
}

#[test]
fn the_numbers_of_a_law_are_found_again() {
    let fitted = fit_of(&course(&[2, 3, 4, 8, 16, 32], &[0.0])).expect("six numbers of workers");
    let ScalabilityLaw { one_ns, sigma, kappa } = fitted.law;
    assert!((one_ns - 2000.0).abs() < 1e-6, "{one_ns}");
    assert!((sigma - 0.03).abs() < 1e-9 && (kappa - 0.001).abs() < 1e-9, "{sigma} {kappa}");
    assert!(fitted.residual_percent < 1e-6 && fitted.failed_draws == 0);
    assert!((fitted.law.best_workers() - (0.97_f64 / 0.001).sqrt()).abs() < 1e-3);
}

#[test]
fn one_worker_has_no_say() {
    let mut with_one = course(&[1, 2, 3, 4, 8, 16, 32], &[0.0]);
    with_one[0].ns = vec![500.0];
    let fitted = fit_of(&with_one).expect("six numbers of workers from two on");
    assert!((fitted.law.one_ns - 2000.0).abs() < 1e-6, "{fitted:?}");
    assert_eq!(fit_of(&with_one[..6]), Err(NoFit::TooFew(5)));
}

/// So many samples of each number of workers, up to 4 % off.
fn noisy(samples: usize) -> Vec<Point> {
    let mut random = SplitMix64::new(7);
    let mut off = || (random.next() % 1000) as f64 / 12_500.0 - 0.04;
    let point = |workers: usize| {
        let off: Vec<f64> = (0..samples).map(|_| off()).collect();
        course(&[workers], &off).remove(0)
    };
    [2, 3, 4, 8, 16, 32].map(point).to_vec()
}

#[test]
fn noise_makes_the_intervals_wide_and_they_hold_what_is_fitted() {
    let fitted = fit_of(&noisy(5)).expect("six numbers of workers");
    let Fit { law, sigma_between, kappa_between, .. } = fitted;
    assert!(sigma_between.0 <= law.sigma && law.sigma <= sigma_between.1, "{fitted:?}");
    assert!(kappa_between.0 <= law.kappa && law.kappa <= kappa_between.1, "{fitted:?}");
    assert!(sigma_between.1 - sigma_between.0 > 0.002, "{fitted:?}");
    assert_eq!(fit_of(&noisy(5)), Ok(fitted), "the same seed draws the same samples");
}

#[test]
fn more_samples_make_the_intervals_narrower() {
    let width = |samples| {
        let (low, high) = fit_of(&noisy(samples)).expect("six numbers of workers").sigma_between;
        high - low
    };
    assert!(width(100) < 0.5 * width(5), "{} {}", width(100), width(5));
}

#[test]
fn fewer_than_six_numbers_of_workers_are_refused() {
    let refused = fit_of(&course(&[2, 3, 4, 8, 16], &[0.0])).expect_err("there are five");
    assert_eq!(refused, NoFit::TooFew(5));
    let told = refused.to_string();
    assert!(told.contains("needs 6 real numbers of workers from 2 on, and there are 5"), "{told}");
}

fn law_of(ns: impl Fn(f64) -> f64) -> ScalabilityLaw {
    let points = [2, 3, 4, 5, 6, 7].map(|workers| (workers, ns(workers as f64)));
    ScalabilityLaw::closest(&points).expect("there is always one")
}

#[test]
fn a_part_that_would_be_negative_is_none_and_the_others_are_fitted_without_it() {
    // Faster than linear, as no law allows: what is left is what one worker takes, by its weights.
    let law = law_of(|workers| 1000.0 / workers.powf(1.1));
    assert_eq!((law.sigma, law.kappa), (0.0, 0.0));
    let alls = [2.0_f64, 3.0, 4.0, 5.0, 6.0, 7.0].map(|workers| 1000.0 / workers.powf(0.1));
    let weighted: f64 = alls.iter().map(|all| 1.0 / all).sum();
    let one_ns = weighted / alls.iter().map(|all| 1.0 / (all * all)).sum::<f64>();
    assert!((law.one_ns - one_ns).abs() < 1e-6, "{law:?} {one_ns}");
    // Only one part is negative: the other one stays.
    let law = law_of(|workers| {
        (1000.0 - 20.0 * (workers - 1.0) + 30.0 * workers * (workers - 1.0)) / workers
    });
    assert!(law.sigma == 0.0 && law.kappa > 0.01, "{law:?}");
    let law = law_of(|workers| {
        (1000.0 + 300.0 * (workers - 1.0) - 10.0 * workers * (workers - 1.0)) / workers
    });
    assert!(law.kappa == 0.0 && law.sigma > 0.1, "{law:?}");
}

#[test]
fn at_least_one_worker_does_most() {
    let best = |sigma, kappa| ScalabilityLaw { sigma, kappa, ..LAW }.best_workers();
    assert_eq!(best(0.5, 0.0), f64::INFINITY);
    assert_eq!([best(0.0, 4.0), best(1.5, 0.0), best(1.5, 0.1)], [1.0, 1.0, 1.0]);
}
