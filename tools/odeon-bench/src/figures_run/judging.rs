//! Whether what was measured is what was promised.

use super::{Judged, NOT_MEASURED};
use crate::energy;
use crate::figures::{self, Figure, Goal, Group};
use crate::idle::BytesPerActor;
use crate::parameter::{Params, Setting};
use crate::runner::Results;
use crate::samples::Samples;
use crate::statistics::Spread;
use crate::table::{factor, short};
use crate::workload::Workload;

fn in_words(settings: &[Setting]) -> String {
    let words: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(" ")
}

/// As [`judge_measured`]; where there is nothing to judge, the verdict says what this machine
/// lacks.
pub(super) fn judge(
    workload: &Workload,
    group: &Group,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Judged {
    let verdict = judge_measured(workload, group, figure, params, results);
    if verdict.reached.is_some() || verdict.measured != NOT_MEASURED {
        return verdict;
    }
    let was_run = results.odeon(workload, figure.variant, &figure.own(params)).is_some();
    let missing = if was_run { None } else { workload.missing(params) };
    let is_energy = matches!(figure.goal, Goal::AtMostTimesEnergy(..));
    match missing.or_else(|| is_energy.then(energy::missing).flatten()) {
        Some(what) => Judged { measured: format!("{NOT_MEASURED}: {what}"), ..verdict },
        None => verdict,
    }
}

/// A verdict from nothing but what was measured, wherever that was.
pub(super) fn judge_measured(
    workload: &Workload,
    group: &Group,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Judged {
    let own = results.odeon(workload, figure.variant, &figure.own(params));
    let odeon = own.map(Samples::median);
    let operation = workload.operation;
    match figure.goal {
        Goal::AtMostFloors(times) => {
            let floor = results.floor(workload, params).map(|samples| samples.median());
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let ratio = odeon / floor;
                let text =
                    format!("{} ({} ns, floor {} ns)", factor(ratio), short(odeon), short(floor));
                (text, ratio <= times)
            });
            let to_reach = format!("at most {times:.2}x its floor, per {operation}");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostMicrosecondsAboveFloor(limit) => {
            let floor = results.floor(workload, params).map(|samples| samples.median());
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let above = (odeon - floor) / 1000.0;
                let (all, floor) = (odeon / 1000.0, floor / 1000.0);
                (format!("{above:.2} us ({all:.2} us, floor {floor:.2} us)"), above <= limit)
            });
            let to_reach = format!("at most {limit} us above its floor, per {operation}");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostMiBAboveFloor(limit) => {
            let peak = |samples: Option<&Samples>| samples?.peak_rss_kib;
            let floor = peak(results.floor(workload, params));
            let odeon = peak(own);
            let outcome = odeon.zip(floor).map(|(odeon, floor)| {
                let above = odeon.saturating_sub(floor);
                let text = format!("{:.1} MiB", above as f64 / 1024.0);
                (text, above <= limit << 10)
            });
            let to_reach = format!("at most {limit} MiB above its floor");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::GrowsAtMostKiBPerMinute(limit) => {
            let growth = own.and_then(Samples::median_growth);
            let outcome = growth.map(|kib| (format!("{kib:.0} KiB a minute"), kib <= limit));
            let to_reach = format!("at most {limit} KiB a minute");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::P50AtMostMicroseconds(limit) => {
            let latency = latency(workload, figure, params, results);
            let outcome = latency.map(|[half, most]| {
                (format!("{half:.1} us (99 of 100: {most:.1} us)"), half <= limit)
            });
            let to_reach = format!("half take at most {limit} us per {operation}");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::P99AtMostMicroseconds(limit) => {
            let latency = latency(workload, figure, params, results);
            let outcome = latency.map(|[half, most]| {
                (format!("{most:.1} us (half of them {half:.1} us)"), most <= limit)
            });
            let to_reach = format!("99 of 100 take at most {limit} us per {operation}");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostNanoseconds(limit) => {
            let outcome = odeon.map(|odeon| (format!("{} ns", short(odeon)), odeon <= limit));
            let limit = if limit.fract() == 0.0 { limit.to_string() } else { short(limit) };
            Judged::new(&figure.what, format!("at most {limit} ns per {operation}"), outcome)
        }
        Goal::TimesFasterThanPeers(times) => {
            let fastest = fastest_peer(workload, group.peers, params, results);
            let outcome = odeon.zip(fastest).map(|(odeon, (peer, fastest))| {
                let ratio = fastest / odeon;
                let text = format!(
                    "{} ({} ns, {peer} {} ns)",
                    factor(ratio),
                    short(odeon),
                    short(fastest)
                );
                (text, ratio >= times)
            });
            let rivals = match group.peers {
                [only] => (*only).to_owned(),
                several => format!("the fastest of {}", several.join(", ")),
            };
            let to_reach = format!("at least {times:.1}x faster than {rivals}");
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimes(times, other) => {
            let other_params = figure.beside(params, other);
            let outcome = odeon.zip(results.odeon(workload, figure.variant, &other_params));
            let outcome = outcome.map(|(odeon, other)| against(odeon, other.median(), times));
            let to_reach = format!("at most {times:.2}x the time with {}", in_words(other));
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimesBest(times, others) => {
            let best = fastest(workload, figure, params, others, results);
            let outcome = odeon.zip(best).map(|(odeon, (which, best))| {
                let (text, reached) = against(odeon, best.median(), times);
                (format!("{text}: {which}"), reached)
            });
            let to_reach =
                format!("at most {times:.2}x the time of the fastest of {} others", others.len());
            Judged::new(&figure.what, to_reach, outcome)
        }
        Goal::AtMostTimesEnergy(times, others) => {
            let own = own.and_then(Samples::median_joules);
            let best = fastest(workload, figure, params, others, results);
            let best = best.and_then(|(which, best)| Some((which, best.median_joules()?)));
            let both = own.zip(best);
            let unknown = both.as_ref().and_then(|(own, (_, best))| {
                [own, best].into_iter().find(|joules| !joules.is_known()).copied()
            });
            let known = both.filter(|_| unknown.is_none());
            let outcome = known.map(|(own, (which, best))| {
                let [own_nj, best_nj] = [own, best].map(|joules| short(joules.value * 1e9));
                let ratio = own.value / best.value;
                let text = format!("{} ({own_nj} nJ against {best_nj} nJ): {which}", factor(ratio));
                (text, ratio <= times)
            });
            let to_reach =
                format!("at most {times:.2}x the energy of the fastest of {} others", others.len());
            let mut verdict = Judged::new(&figure.what, to_reach, outcome);
            if let Some(joules) = unknown {
                verdict.measured = joules.too_short();
            }
            verdict
        }
    }
}

/// The fastest of other cases of the group, of those that were measured.
fn fastest<'a>(
    workload: &Workload,
    figure: &Figure,
    params: &Params,
    others: &[&[Setting]],
    results: &'a Results,
) -> Option<(String, &'a Samples)> {
    let timed = others.iter().filter_map(|other| {
        Some((
            in_words(other),
            results.odeon(workload, figure.variant, &figure.beside(params, other))?,
        ))
    });
    timed.min_by(|(_, one), (_, other)| one.median().total_cmp(&other.median()))
}

/// How one time compares with another, and whether it is at most so many times that.
fn against(odeon: f64, other: f64, times: f64) -> (String, bool) {
    let ratio = odeon / other;
    let text = format!("{} ({} ns against {} ns)", factor(ratio), short(odeon), short(other));
    (text, ratio <= times)
}

/// What half, and 99 of 100, of the operations took at most, in us.
fn latency(
    workload: &Workload,
    figure: &Figure,
    params: &Params,
    results: &Results,
) -> Option<[f64; 2]> {
    let samples = results.odeon(workload, figure.variant, params)?;
    let (half_ns, most_ns) = samples.median_latency()?;
    Some([half_ns, most_ns].map(|ns| ns / 1000.0))
}

/// The best of the peers; `None` unless all of them have been measured.
fn fastest_peer<'a>(
    workload: &Workload,
    peers: &[&'a str],
    params: &Params,
    results: &Results,
) -> Option<(&'a str, f64)> {
    let medians = peers
        .iter()
        .map(|peer| Some((*peer, results.peer(workload, peer, params)?.median())))
        .collect::<Option<Vec<_>>>()?;
    medians.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
}

pub(super) fn judge_bytes(bytes: BytesPerActor) -> Judged {
    let limit = figures::IDLE_ACTOR_BYTES;
    let part = |name: &str, bytes: Option<f64>| match bytes {
        Some(bytes) => format!("{} bytes {name}", short(bytes)),
        None => format!("{name}: not known"),
    };
    let outcome = bytes.most().map(|most| {
        let parts = [part("requested", bytes.requested), part("resident", bytes.resident)];
        (parts.join(", "), most <= limit)
    });
    Judged::new(figures::IDLE_ACTOR, format!("at most {limit} bytes"), outcome)
}

pub(super) fn judge_cpu(percents: &[f64]) -> Judged {
    let limit = figures::IDLE_THEATER_PERCENT;
    let Spread { min, median, max } = Spread::of(percents);
    let text = format!("{median:.3} % ({min:.3}..{max:.3} in {} windows of 1 s)", percents.len());
    let outcome = (!percents.is_empty()).then_some((text, median <= limit));
    Judged::new(figures::IDLE_THEATER, format!("at most {limit} % of one core"), outcome)
}
