use super::*;
use crate::calibration::CostsByHandler;
use crate::law::ScalabilityLaw;
use crate::simulation::{Costs, SerialPart, Simulated};

const LOAD: ScaleLoad = ScaleLoad { handler_ns: 500, senders: 4, conflict: 0, reads: 0 };

fn calibration(line_from: LineFrom, is_lock_counted: bool) -> Calibration {
    let costs = Costs { line: 300.0, ..Costs::default() };
    let costs = CostsByHandler { shortest_ns: 0, shortest: costs, long: costs };
    let check = Check { load: LOAD, workers: 2, measured_ns: 100.0, simulated_ns: 120.0 };
    Calibration { costs, line_from, is_lock_counted, checks: vec![check] }
}

#[test]
fn a_verdict_tells_where_it_misses_and_what_is_guessed() {
    let told = verdict(&calibration(LineFrom::TwoWorkers, true));
    assert!(told.contains("with 500 ns, 4 senders with 2 (+20.0 %)"), "{told}");
    assert!(!told.contains("WARNING") && told.contains("lock is held was counted"), "{told}");
    let told = verdict(&calibration(LineFrom::Edge, false));
    assert!(
        told.contains("300 ns, is at the edge") && told.contains("lock is held is guessed"),
        "{told}"
    );
    let told = verdict(&calibration(LineFrom::Guess, false));
    assert!(told.contains("WARNING: no two workers"), "{told}");
}

#[test]
fn a_law_without_a_best_number_and_draws_without_a_law_are_told() {
    let law = ScalabilityLaw { one_ns: 100.0, sigma: 0.1, kappa: 0.0 };
    let (sigma_between, kappa_between) = ((0.0, 0.2), (0.0, 0.0));
    let fit = Fit { law, residual_percent: 1.0, sigma_between, kappa_between, failed_draws: 3 };
    let told = fitted(LOAD, &fit);
    assert!(told.starts_with("500 ns, 4 senders, from 2 workers on: sigma 0.1000"), "{told}");
    let end = "more workers always do more; no law fits 3 of 400 draws";
    assert!(told.ends_with(end), "{told}");
}

#[test]
fn one_worker_that_does_most_is_told() {
    let one = |workers, ns| Extrapolated {
        load: LOAD,
        workers,
        speed_up: 1.0,
        off_percent: None,
        simulated: Simulated {
            ns,
            batch: 1.0,
            passes: 1.0,
            waited_ns: 0.0,
            thought_long_percent: 0.0,
            serial: [(SerialPart::Shard, 50.0), (SerialPart::Board, 60.0)],
        },
    };
    let told = ceiling_lines(&[one(1, 100.0), one(2, 120.0)]);
    assert!(told[0].contains("one worker does most, 10000 thousand"), "{told:?}");
    let told = ceiling_lines(&[one(1, 100.0), one(2, 80.0)]);
    assert!(told[0].contains("the lock of the board, 60.0 ns"), "{told:?}");
}
