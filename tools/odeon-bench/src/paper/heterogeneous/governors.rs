//! Figure 6.6: power, time and energy of each implementation, under each governor of the
//! processor's frequency.

use super::kmeans;
use crate::energy::{self, Joules};
use crate::error::BenchError;
use crate::paper::{PaperPlan, WatchPaper, not_measured};
use crate::parameter::Value::{Number, Word};
use crate::parameter::{Params, Setting};
use crate::peers::Peers;
use crate::plot::Bars;
use crate::runner::{Case, CasePlan, Results, measure as run};
use crate::samples::Samples;
use crate::table::{TextTable, factor, short};
use crate::workload::Variant;
use odeon_energy::{Governors, GovernorsSet};

/// An implementation of k-means, as the thesis has it.
struct Implementation {
    name: &'static str,
    in_thesis: &'static str,
    /// Whether it is the floor of the workload.
    is_floor: bool,
    settings: &'static [Setting],
}

const ALL: &[Implementation] = &[
    Implementation {
        name: "one loop",
        in_thesis: "seq",
        is_floor: true,
        settings: &[("floor", Word("sequential"))],
    },
    Implementation { name: "rayon", in_thesis: "par", is_floor: true, settings: &[] },
    Implementation { name: "actors on cores", in_thesis: "act", is_floor: false, settings: &[] },
    Implementation {
        name: "direct (CUDA C)",
        in_thesis: "jni",
        is_floor: false,
        settings: &[("way", Word("direct")), ("pieces", Number(1))],
    },
    Implementation {
        name: "middleware (RabbitMQ)",
        in_thesis: "rabbitmq",
        is_floor: false,
        settings: &[("way", Word("middleware"))],
    },
    Implementation {
        name: "kernels (CubeCL)",
        in_thesis: "dsl",
        is_floor: false,
        settings: &[("way", Word("kernel")), ("pieces", Number(1))],
    },
];

/// Those of the thesis.
const GOVERNORS: &[&str] = &["ondemand", "performance", "powersave"];

/// Where the governor is left alone.
pub(super) const AS_IT_IS: &str = "as it is";

/// One implementation under one governor.
pub(super) struct Measurement {
    pub(super) governor: &'static str,
    pub(super) implementation: &'static str,
    pub(super) in_thesis: &'static str,
    pub(super) outcome: Result<Taken, String>,
}

/// What a run takes: medians.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) seconds: f64,
    pub(super) joules: Option<Joules>,
}

impl Taken {
    /// Of so many rounds over the points, however many there were.
    fn of(samples: &Samples, ops: u64) -> Self {
        let ops = ops as f64;
        let joules = samples.median_joules().map(|joules| joules.times(ops));
        Self { seconds: samples.median() * ops / 1e9, joules }
    }

    /// `None` also where the run was too short for the counters.
    pub(super) fn joules(&self) -> Option<f64> {
        self.joules.filter(|joules| joules.is_known()).map(|joules| joules.value)
    }

    pub(super) fn watts(&self) -> Option<f64> {
        Some(self.joules()? / self.seconds)
    }
}

/// All implementations: with the governor as it is, and under each that can be set.
pub(super) fn measure(
    plan: &PaperPlan,
    watch: &mut dyn WatchPaper,
) -> Result<Vec<Measurement>, BenchError> {
    let mut all = under(AS_IT_IS, plan, watch)?;
    for governor in GOVERNORS {
        match Governors::new().set(governor).and_then(GovernorsSet::even_if_killed) {
            Ok(set) => {
                all.extend(under(governor, plan, watch)?);
                set.restore().map_err(|error| BenchError::Runtime(error.to_string()))?;
            }
            Err(why) => all.extend(ALL.iter().map(|one| Measurement {
                governor,
                implementation: one.name,
                in_thesis: one.in_thesis,
                outcome: Err(format!("the governor cannot be set: {why}")),
            })),
        }
    }
    Ok(all)
}

fn under(
    governor: &'static str,
    plan: &PaperPlan,
    watch: &mut dyn WatchPaper,
) -> Result<Vec<Measurement>, BenchError> {
    let mut cases = CasePlan::default();
    for one in ALL {
        let params = params_of(one, plan);
        match (one.is_floor, kmeans().missing(&params)) {
            (_, Some(_)) => {}
            (true, None) => cases.add_floor(kmeans(), &params),
            (false, None) => cases.add_odeon(kmeans(), Variant::Pool, &params),
        }
    }
    watch.part(&format!("figure 6.6, governor {governor}"), plan.rounds.runs(&cases));
    let results: Results = run(&cases, plan.rounds, &mut Peers::none(), |case: &Case| {
        watch.run(format!("{} {}", case.contender.implementation(), case.params));
    })?;
    let measured = ALL.iter().map(|one| {
        let params = params_of(one, plan);
        let samples = match one.is_floor {
            true => results.floor(kmeans(), &params),
            false => results.odeon(kmeans(), Variant::Pool, &params),
        };
        let why = || kmeans().missing(&params).unwrap_or_else(not_measured);
        let taken = |samples: &Samples| {
            let points_and_rounds = match params.number("seconds") {
                0 => samples.ops,
                _ => ROWS * ROUNDS,
            };
            Taken::of(samples, points_and_rounds)
        };
        let outcome = samples.map(taken).ok_or_else(why);
        Measurement { governor, implementation: one.name, in_thesis: one.in_thesis, outcome }
    });
    Ok(measured.collect())
}

/// The thesis's set: 65,536 points, 16 clusters.
const ROWS: u64 = 65_536;

/// The thesis has rounds until points stay. Here what so many take is told.
const ROUNDS: u64 = 200;

/// TUNE: s, 2026-11: a counter of a GPU may be off by what it draws at its peak in 0.1 s, 105 J; so
/// that this is a tenth of what all draw, at 200 W and more.
const LONG_ENOUGH_FOR_COUNTERS: u64 = 6;

/// Where there are counters of energy, rounds go on for a time that is long enough for them: else
/// some implementations would be done too soon.
fn params_of(one: &Implementation, plan: &PaperPlan) -> Params {
    let length = match (plan.quick, energy::missing()) {
        (true, _) => ("rounds", Number(3)),
        (false, Some(_)) => ("rounds", Number(ROUNDS)),
        (false, None) => ("seconds", Number(LONG_ENOUGH_FOR_COUNTERS)),
    };
    let rows = Number(if plan.quick { 1000 } else { ROWS });
    let settings = [&[("rows", rows), length][..], one.settings].concat();
    plan.params(kmeans(), &settings, &[])
}

const UNAVAILABLE: &str = "unavailable";

pub(super) fn cells(measurement: &Measurement) -> [String; 3] {
    let or_unavailable = |number: Option<f64>| number.map_or_else(|| UNAVAILABLE.to_owned(), short);
    match &measurement.outcome {
        Ok(taken) => {
            let ms = short(taken.seconds * 1e3);
            let joules = match taken.joules.filter(|joules| !joules.is_known()) {
                Some(joules) => joules.too_short(),
                None => or_unavailable(taken.joules()),
            };
            [or_unavailable(taken.watts()), ms, joules]
        }
        Err(why) => [UNAVAILABLE.to_owned(), why.clone(), UNAVAILABLE.to_owned()],
    }
}

pub(super) fn table(measurements: &[Measurement]) -> TextTable {
    let mut table = TextTable::new(["governor", "implementation", "thesis", "W", "ms", "J"]);
    for one in measurements {
        let [watts, ms, joules] = cells(one);
        let names = [one.governor, one.implementation, one.in_thesis].map(str::to_owned);
        table.row(names.into_iter().chain([watts, ms, joules]));
    }
    table
}

/// What the thesis's text says, and how to say it of what was measured here.
pub(super) fn statements(measurements: &[Measurement]) -> Vec<(&'static str, String)> {
    let of = |governor: &str, in_thesis: &str| {
        let found =
            measurements.iter().find(|one| (one.governor, one.in_thesis) == (governor, in_thesis));
        found.and_then(|one| one.outcome.as_ref().ok()).copied()
    };
    let times = |one: Option<Taken>, other: Option<Taken>| {
        one.zip(other).map(|(one, other)| one.seconds / other.seconds)
    };
    let said = |number: Option<f64>| number.map_or_else(not_measured, factor);
    let compared =
        [of(AS_IT_IS, "dsl"), of(AS_IT_IS, "act")].map(|one| one.and_then(|one| one.joules));
    let slower = |which| said(times(of("powersave", which), of("performance", which)));
    let energy = match compared {
        [Some(kernel), Some(cores)] => match [kernel, cores].iter().find(|one| !one.is_known()) {
            Some(unknown) => unknown.too_short(),
            None => format!("{} J against {} J", short(kernel.value), short(cores.value)),
        },
        _ => energy::missing().unwrap_or_else(not_measured),
    };
    vec![
        (
            "The sequential program is some 3 times slower with the governor powersave.",
            slower("seq"),
        ),
        ("The parallel programs are some 2 times slower with it.", slower("act")),
        (
            "Actors on cores are faster than threads that share memory.",
            format!(
                "threads take {} the time of actors",
                said(times(of(AS_IT_IS, "par"), of(AS_IT_IS, "act")))
            ),
        ),
        (
            "All GPU implementations are faster than those on cores.",
            format!(
                "kernels take {} the time of actors on cores; a device that the processor stands in for is no GPU",
                said(times(of(AS_IT_IS, "dsl"), of(AS_IT_IS, "act")))
            ),
        ),
        (
            "The DSL takes 540 J (powersave), actors on cores 1,001 J (ondemand); JNI saves up to 80 %.",
            energy,
        ),
    ]
}

/// Files and what is drawn there; energy and power only where there are any.
pub(super) fn charts(measurements: &[Measurement]) -> Vec<(&'static str, Bars)> {
    type Part = (&'static str, &'static str, &'static str, fn(&Taken) -> Option<f64>);
    let parts: [Part; 3] = [
        ("figure-6.6-power.svg", "power", "W", Taken::watts),
        ("figure-6.6-time.svg", "execution time", "s", |taken| Some(taken.seconds)),
        ("figure-6.6-energy.svg", "energy", "J", Taken::joules),
    ];
    let mut governors: Vec<&str> = measurements.iter().map(|one| one.governor).collect();
    governors.dedup();
    let charts = parts.into_iter().map(|(file, title, y_title, part)| {
        let value = |governor: &&str, name| {
            let found = measurements
                .iter()
                .find(|one| (one.governor, one.implementation) == (*governor, name));
            found.and_then(|one| part(one.outcome.as_ref().ok()?))
        };
        let series = ALL.iter().map(|one| {
            let values = governors.iter().map(|governor| value(governor, one.name));
            (one.name.to_owned(), values.collect())
        });
        let groups = governors.iter().map(|governor| (*governor).to_owned()).collect();
        let title = format!("Figure 6.6: {title}");
        (file, Bars { title, y_title, groups, series: series.collect() })
    });
    let has_some =
        |bars: &Bars| bars.series.iter().flat_map(|(_, values)| values).any(Option::is_some);
    charts.filter(|(_, bars)| has_some(bars)).collect()
}
