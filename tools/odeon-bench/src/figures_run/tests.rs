//! Judging made-up results.

use super::*;
use crate::figures::groups;
use crate::idle::BytesPerActor;
use crate::latency::Latency;
use crate::parameter::Value;
use crate::runner::CaseOutcome;
use crate::samples::Samples;

fn plan(quick: bool) -> FiguresPlan {
    let rounds = Rounds { warmup: 0, samples: 1 };
    FiguresPlan {
        list: List::Usual,
        quick,
        rounds,
        only: Vec::new(),
        idle_seconds: 0,
        within: None,
    }
}

fn outcome(workload: &str, contender: Contender, settings: &[Setting], ns: f64) -> CaseOutcome {
    let workload = workloads::find(workload).expect("it exists");
    let parameters = workload.parameters;
    let params = workload.defaults().with_all(settings);
    let params = match &contender {
        Contender::Odeon(_) => params,
        Contender::Floor => params.for_floor(parameters),
        Contender::Peer(_) => params.for_peers(parameters).expect("peers can do it"),
    };
    let samples = Samples { ops: 1, ns_per_op: vec![ns], ..Samples::default() };
    CaseOutcome { case: Case { workload, contender, params }, samples }
}

fn verdicts(workload: &str, results: &Results) -> Vec<Judged> {
    let plan = plan(false);
    let groups = groups();
    let group = groups.iter().find(|group| group.workload == workload).expect("it exists");
    let judge_one = |figure: &Figure| {
        let params = plan.params(group, figure.settings);
        judge(workload_of(group), group, figure, &params, results)
    };
    group.figures.iter().map(judge_one).collect()
}

#[test]
fn figures_of_a_workload_that_goes_wrong_are_not_reached() {
    let plan = plan(false);
    let groups = groups();
    let group = groups.iter().find(|group| group.workload == "ring").expect("it exists");
    let error = BenchError::WrongResult("a hop is missing".to_owned());
    assert!(concerns_a_workload(&error));
    assert!(!concerns_a_workload(&BenchError::bad_argument("--hops", "too many")));
    let verdict = plan.failed(group, &group.figures[0], &error);
    assert_eq!(verdict.reached, Some(false));
    assert_eq!(verdict.measured, "failed: wrong result: a hop is missing");
    assert!(verdict.to_reach.starts_with("at most"), "{}", verdict.to_reach);
}

#[test]
fn a_case_with_a_wrong_result_fails_its_figures_and_the_others_are_judged() {
    let plan = plan(false);
    let groups = groups();
    let group = groups.iter().find(|group| group.workload == "ring").expect("it exists");
    let wrong = |contender| Wrong {
        case: outcome("ring", contender, &group.settings, 1.0).case,
        error: BenchError::WrongResult("a hop is missing".to_owned()),
    };
    let ring = |contender, ns| outcome("ring", contender, &group.settings, ns);
    let pinned = || ring(Contender::Odeon(Variant::Pinned), 9.0);
    // One on a pinned stage, and two on the pool.
    let results = Results(vec![pinned(), ring(Contender::Floor, 5.0)]);
    let pool = wrong(Contender::Odeon(Variant::Pool));
    let told = pool.told();
    assert!(told.starts_with("odeon-pool ") && told.ends_with(": wrong result: a hop is missing"));
    let verdicts = plan.verdicts(group, &results, &[pool]);
    let failed = "failed: wrong result: a hop is missing";
    assert_eq!(
        (&*verdicts[0].measured, verdicts[0].reached),
        ("1.80x (9.00 ns, floor 5.00 ns)", Some(true))
    );
    for of_the_pool in &verdicts[1..] {
        assert_eq!((&*of_the_pool.measured, of_the_pool.reached), (failed, Some(false)));
    }
    // Without a floor nothing is compared with one.
    let results = Results(vec![pinned()]);
    let verdicts = plan.verdicts(group, &results, &[wrong(Contender::Floor)]);
    assert_eq!((&*verdicts[0].measured, verdicts[0].reached), (failed, Some(false)));
}

#[test]
fn floors_and_peers_are_compared() {
    let results = Results(vec![
        outcome("ring", Contender::Odeon(Variant::Pinned), &[], 9.0),
        outcome("ring", Contender::Odeon(Variant::Pool), &[], 30.0),
        outcome("ring", Contender::Floor, &[], 5.0),
        outcome("ring", Contender::Peer("tokio".to_owned()), &[], 240.0),
    ]);
    let verdicts = verdicts("ring", &results);
    let reached: Vec<_> = verdicts.iter().map(|verdict| verdict.reached).collect();
    assert_eq!(reached, [Some(true), Some(false), Some(true)]);
    assert_eq!(verdicts[0].measured, "1.80x (9.00 ns, floor 5.00 ns)");
    assert_eq!(verdicts[2].measured, "8.00x (30.0 ns, tokio 240 ns)");
    assert_eq!(verdicts[2].to_reach, "at least 6.0x faster than tokio");
    let text = table(&verdicts).to_text();
    assert!(text.lines().nth(2).is_some_and(|line| line.ends_with("NO")), "{text}");
}

#[test]
fn variants_are_compared_and_limits_hold() {
    let odeon = || Contender::Odeon(Variant::Pool);
    let judged = |with_stats| {
        let results = Results(vec![
            outcome("fjthrput", odeon(), &[("mailboxes", Value::Number(1))], 20.0),
            outcome("fjthrput", odeon(), &[("stats", Value::Word("on"))], with_stats),
        ]);
        verdicts("fjthrput", &results)
    };
    let verdicts = judged(22.0);
    let reached: Vec<_> = verdicts.iter().map(|verdict| verdict.reached).collect();
    assert_eq!(reached, [Some(true), None, Some(false)]);
    assert_eq!(verdicts[1].measured, "not measured");
    assert_eq!(verdicts[2].to_reach, "at most 1.03x the time with stats=off");
    assert_eq!(verdicts[2].measured, "1.10x (22.0 ns against 20.0 ns)");
    assert_eq!(judged(20.5)[2].reached, Some(true));
}

#[test]
fn growth_of_memory_is_judged() {
    let group = groups()
        .into_iter()
        .find(|group| group.settings.iter().any(|(name, _)| *name == "seconds"))
        .expect("one looks at memory");
    let judged = |growth: &[f64]| {
        let settings = [&group.settings[..], group.figures[0].settings].concat();
        let mut odeon = outcome(group.workload, Contender::Odeon(Variant::Pool), &settings, 5.0);
        odeon.samples.growth_kib_per_minute = growth.to_vec();
        let params = odeon.case.params.clone();
        let results = Results(vec![odeon]);
        judge(workload_of(&group), &group, &group.figures[0], &params, &results)
    };
    assert_eq!(judged(&[-10.0, 1000.0, 9000.0]).reached, Some(true));
    assert_eq!(judged(&[-10.0, 1000.0, 9000.0]).measured, "1000 KiB a minute");
    assert_eq!(judged(&[4100.0]).reached, Some(false));
    assert_eq!(judged(&[]).reached, None);
}

#[test]
fn latencies_are_judged() {
    let judged = |p99_ns: Option<u32>| {
        let settings = [("mode", Value::Word("adaptive")), ("hot", Value::Number(50))];
        let mut odeon = outcome("transfer", Contender::Odeon(Variant::Pool), &settings, 1.0);
        odeon.samples.latency =
            p99_ns.map(|p99_ns| Latency { p50_ns: 20_000, p99_ns }).into_iter().collect();
        verdicts("transfer", &Results(vec![odeon])).pop().expect("the last figure")
    };
    let fast = judged(Some(999_900));
    assert_eq!((&*fast.measured, fast.reached), ("999.9 us (half of them 20.0 us)", Some(true)));
    assert_eq!(judged(Some(1_000_100)).reached, Some(false));
    assert_eq!(judged(None).reached, None);
}

#[test]
fn the_middle_latency_is_judged_apart_from_the_longest() {
    let groups = groups();
    let is_half = |figure: &Figure| matches!(figure.goal, Goal::P50AtMostMicroseconds(_));
    let group = groups.iter().find(|group| group.figures.iter().any(is_half)).expect("one is");
    let figure = group.figures.iter().find(|figure| is_half(figure)).expect("it is there");
    let judged = |p50_ns| {
        let settings = [&group.settings[..], figure.settings].concat();
        let mut odeon = outcome(group.workload, Contender::Odeon(Variant::Pool), &settings, 1.0);
        odeon.samples.latency = vec![Latency { p50_ns, p99_ns: 5_000_000 }];
        let params = odeon.case.params.clone();
        judge(workload_of(group), group, figure, &params, &Results(vec![odeon]))
    };
    let fast = judged(199_900);
    assert_eq!((&*fast.measured, fast.reached), ("199.9 us (99 of 100: 5000.0 us)", Some(true)));
    assert_eq!(judged(200_100).reached, Some(false));
    assert_eq!(fast.to_reach, "half take at most 200 us per migration");
}

#[test]
fn the_fastest_peer_counts_and_none_may_be_missing() {
    let groups = groups();
    let row = groups.iter().find(|group| group.workload == "list").expect("it exists");
    let list = |contender, ns| outcome("list", contender, &row.settings, ns);
    let peer = |name: &str, ns| list(Contender::Peer(name.to_owned()), ns);
    let odeon = list(Contender::Odeon(Variant::Pool), 100.0);
    let all = vec![odeon, peer("tokio", 300.0), peer("kameo", 140.0), peer("ractor", 200.0)];
    let reached = &verdicts("list", &Results(all.clone()))[0];
    assert_eq!(reached.measured, "1.40x (100 ns, kameo 140 ns)");
    assert_eq!(reached.reached, Some(true));
    let missing = Results(all[..3].to_vec());
    assert_eq!(verdicts("list", &missing)[0].reached, None);
}

#[test]
fn idle_figures_are_judged() {
    let bytes = BytesPerActor { requested: Some(200.0), resident: Some(260.0) };
    assert_eq!(judge_bytes(bytes).reached, Some(false));
    assert_eq!(judge_bytes(bytes).measured, "200 bytes requested, 260 bytes resident");
    let unknown = BytesPerActor { requested: None, resident: None };
    assert_eq!(judge_bytes(unknown).reached, None);
    assert_eq!(judge_cpu(&[0.1, 0.3, 0.15]).reached, Some(true));
    assert_eq!(judge_cpu(&[]).reached, None);
}

#[test]
fn the_fastest_other_case_counts_and_what_a_machine_lacks_is_told() {
    let groups = groups();
    let of = |is_it: fn(&Goal) -> bool| {
        let has_it = |group: &&Group| {
            group.figures.iter().any(|figure| is_it(&figure.goal) && figure.longer.is_empty())
        };
        groups.iter().find(has_it).expect("one is")
    };
    let both = [
        of(|goal| matches!(goal, Goal::AtMostTimesBest(..))),
        of(|goal| matches!(goal, Goal::AtMostTimesEnergy(..))),
    ];
    let case_off_by = |settings: &[Setting], ns: f64, joules: &[f64], part: f64| {
        both.map(|group| {
            let settings = [&group.settings[..], settings].concat();
            let mut case = outcome(group.workload, Contender::Odeon(Variant::Pool), &settings, ns);
            case.samples.joules_per_op = joules.to_vec();
            case.samples.joules_error_per_op = joules.iter().map(|joules| joules * part).collect();
            case
        })
    };
    let case =
        |settings: &[Setting], ns: f64, joules: &[f64]| case_off_by(settings, ns, joules, 0.1);
    let judged = |results: Vec<[CaseOutcome; 2]>| {
        let results = Results(results.into_iter().flatten().collect());
        both.map(|group| {
            let figure = &group.figures[0];
            let settings = [&group.settings[..], figure.settings].concat();
            let start = Params::defaults(workload_of(group).parameters);
            judge(workload_of(group), group, figure, &figure.beside(&start, &settings), &results)
        })
    };
    let figure = &both[0].figures[0];
    assert_eq!(figure.settings, both[1].figures[0].settings);
    // The figure's own settings stay where the other case does not say otherwise.
    let other = |index: usize| [figure.settings, figure.goal.others()[index]].concat();
    let cases = |own: &[f64], others: &[f64]| {
        vec![
            case(figure.settings, 5.0, own),
            case(&other(0), 100.0, others),
            case(&other(1), 60.0, others),
        ]
    };
    let all = judged(cases(&[1e-9], &[4e-9]));
    assert_eq!(
        all[0].measured,
        "0.0833x (5.00 ns against 60.0 ns): way=cpu cpu_workers=2 device_workers=0 workers=2 pieces=4"
    );
    assert_eq!([all[0].reached, all[1].reached], [Some(true), Some(false)]);
    assert!(
        all[1].measured.starts_with("0.250x (1.00 nJ against 4.00 nJ): "),
        "{}",
        all[1].measured
    );
    // Joules that nobody has measured are not judged.
    assert_eq!(judged(cases(&[], &[]))[1].reached, None);
    // Nor those of a run that lasts about as long as a period of the counters.
    let mut short = cases(&[1e-9], &[40e-9]);
    assert_eq!(judged(short.clone())[1].reached, Some(true));
    short[0] = case_off_by(figure.settings, 5.0, &[1e-9], 3.0);
    let short = &judged(short)[1];
    assert_eq!(short.reached, None);
    assert_eq!(
        short.measured,
        "not measured: too short for the counters, 1.00 nJ may be off by 3.00 nJ"
    );
    let others = figure.goal.others().len();
    assert_eq!(
        judged(cases(&[1e-9], &[4e-9]))[1].to_reach,
        format!("at most 0.20x the energy of the fastest of {others} others")
    );
    let nothing = &judged(Vec::new())[0];
    assert_eq!(nothing.reached, None);
    let own = case(figure.settings, 1.0, &[])[0].case.params.clone();
    let missing = workload_of(both[0]).missing(&own);
    let told = missing.map_or_else(String::new, |what| format!(": {what}"));
    assert_eq!(nothing.measured, format!("not measured{told}"));
}

/// The pool's runs are long enough for what it finds out, those of cores alone are as long, and
/// those with a device beside them are not.
#[test]
fn a_case_that_lasts_longer_is_compared_with_shorter_ones() {
    let groups = groups();
    let is_longer = |figure: &Figure| !figure.longer.is_empty();
    let group = groups.iter().find(|group| group.figures.iter().any(is_longer)).expect("one is");
    let figure = group.figures.iter().find(|figure| is_longer(figure)).expect("it is there");
    let plan = plan(false);
    let params = plan.params(group, figure.settings);
    let own = figure.own(&params);
    assert_eq!(own.number("rounds"), 20 * params.number("rounds"));
    for (_, case) in plan.cases(group) {
        let is_long = case == own || case.number("device_workers") == 0;
        assert_eq!(case.number("rounds") == own.number("rounds"), is_long, "{case}");
    }
    let workload = workload_of(group);
    let case = |params: Params, ns| {
        let samples = Samples { ops: 1, ns_per_op: vec![ns], ..Samples::default() };
        CaseOutcome {
            case: Case { workload, contender: Contender::Odeon(Variant::Pool), params },
            samples,
        }
    };
    let other = figure.beside(&params, figure.goal.others()[0]);
    let results = Results(vec![case(own, 103.0), case(other, 100.0)]);
    let verdict = judge(workload, group, figure, &params, &results);
    assert_eq!(verdict.reached, Some(true), "{verdict:?}");
    assert!(verdict.measured.starts_with("1.03x (103 ns against 100 ns)"), "{verdict:?}");
}

/// With small parameters: the others differ in numbers only.
#[test]
fn each_case_of_each_figure_can_be_run() {
    let plan = plan(true);
    for group in groups() {
        plan.check(&group).unwrap_or_else(|error| panic!("{}: {error}", group.workload));
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counts {
    groups: usize,
    results: usize,
}

impl Watch for Counts {
    fn group(&mut self, _name: &str, _runs: usize) {
        self.groups += 1;
    }

    fn run(&mut self, _case: &Case) {}

    fn results(&mut self, _results: &Results, _peers: &Peers) -> Result<(), BenchError> {
        self.results += 1;
        Ok(())
    }
}

#[test]
fn no_group_begins_when_the_time_is_over() {
    let run = |within| {
        let plan = FiguresPlan {
            list: List::Hardware(vec![HardwarePart::Cores]),
            only: vec!["ring".to_owned()],
            within: Some(within),
            ..plan(true)
        };
        let mut counts = Counts::default();
        let outcome = plan.run(&mut Peers::none(), &mut counts).expect("it runs");
        assert_eq!(counts.groups, counts.results);
        (counts.groups, outcome)
    };
    let (groups, late) = run(Duration::ZERO);
    assert_eq!((groups, &late.left_out[..]), (0, &["ring".to_owned()][..]));
    assert!(!late.verdicts.is_empty());
    for verdict in &late.verdicts {
        assert_eq!(verdict.reached, None);
        assert_eq!(verdict.measured, "not measured: the time was over");
    }
    let (groups, early) = run(Duration::from_secs(3600));
    assert_eq!((groups, early.left_out.len()), (1, 0));
}
