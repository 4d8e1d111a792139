//! What Odeon promises in numbers: the list behind `odeon bench figures`, as data.

mod coordinated;
mod front;
mod geostat;
pub mod hardware;
mod heterogeneous;
mod selectors;
mod speculative;
mod stm;
pub mod sweep;
mod theaters;

use crate::parameter::Value::{Number, Word};
use crate::parameter::{Params, Setting};
use crate::peers;
use crate::workload::Variant;
use Goal::{
    AtMostFloors, AtMostMiBAboveFloor, AtMostNanoseconds, AtMostTimes, TimesFasterThanPeers,
};
use Variant::{Async, Pinned, Pool};
use sweep::Sweep;

/// Figures that are measured together, in alternation.
#[derive(Debug, Clone)]
pub struct Group {
    /// The workload that all of them run.
    pub workload: &'static str,
    /// Parameters of all of them, where they differ from the defaults.
    pub settings: Vec<Setting>,
    /// Further parameters for a quick look, which judges nothing.
    pub quick: &'static [Setting],
    /// The runtimes to compare with.
    pub peers: &'static [&'static str],
    /// The promises.
    pub figures: Vec<Figure>,
    /// What is measured with them, and not judged.
    pub sweep: Option<Sweep>,
}

/// One promise about one case.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its name: the first column of the table, and its heading in the notes.
    pub what: String,
    /// How Odeon runs it.
    pub variant: Variant,
    /// Parameters of this figure alone.
    pub settings: &'static [Setting],
    /// Parameters of its own case that not all cases beside it have, where times of one operation
    /// can be compared all the same: it may last longer. None in a quick look.
    pub longer: &'static [Setting],
    /// The cases beside it that have these parameters, too.
    pub as_long: &'static [&'static [Setting]],
    /// What must hold.
    pub goal: Goal,
}

/// What must hold for the median of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// At most so many times its floor.
    AtMostFloors(f64),
    /// At most so many ns per operation.
    AtMostNanoseconds(f64),
    /// At most so many us per operation more than its floor.
    AtMostMicrosecondsAboveFloor(f64),
    /// Half of all operations took at most so many us.
    P50AtMostMicroseconds(f64),
    /// All operations but one in a hundred took at most so many us.
    P99AtMostMicroseconds(f64),
    /// At most so many MiB of resident memory above what its floor takes.
    AtMostMiBAboveFloor(u64),
    /// Resident memory grows by at most so many KiB a minute in the second half of a run.
    GrowsAtMostKiBPerMinute(f64),
    /// So many times faster than the fastest of the group's peers.
    TimesFasterThanPeers(f64),
    /// At most so many times another case of the group.
    AtMostTimes(f64, &'static [Setting]),
    /// At most so many times the fastest of other cases of the group, as far as these can run on
    /// this machine.
    AtMostTimesBest(f64, &'static [&'static [Setting]]),
    /// At most so many times the energy that the fastest of other cases of the group takes.
    AtMostTimesEnergy(f64, &'static [&'static [Setting]]),
}

impl Goal {
    /// The cases that it compares with: settings beside those of the figure.
    pub fn others(self) -> Vec<&'static [Setting]> {
        match self {
            Self::AtMostTimes(_, other) => vec![other],
            Self::AtMostTimesBest(_, others) | Self::AtMostTimesEnergy(_, others) => {
                others.to_vec()
            }
            _ => Vec::new(),
        }
    }
}

/// Bytes of an idle live actor with one empty mailbox, at most.
pub const IDLE_ACTOR_BYTES: f64 = 256.0;
/// Its name.
pub const IDLE_ACTOR: &str = "an idle live actor with one empty mailbox";
/// How many actors the bytes are measured over.
pub const IDLE_ACTOR_COUNT: usize = 100_000;
/// Per cent of one core that a theater of idle actors uses, at most.
pub const IDLE_THEATER_PERCENT: f64 = 0.2;
/// Its name.
pub const IDLE_THEATER: &str = "idle theater with 10,000 actors";
/// How many actors that theater has.
pub const IDLE_THEATER_COUNT: usize = 10_000;

const TOKIO: &[&str] = &["tokio"];
const ACTOR_LIBRARIES: &[&str] = &["kameo", "ractor"];
const FIFO: &[Setting] = &[("order", Word("fifo"))];
const LIFO: &[Setting] = &[("order", Word("lifo"))];
const CENTRAL: &[Setting] = &[("order", Word("central"))];
const MAILBOXES_1: &[Setting] = &[("mailboxes", Number(1))];
const STATS_ON: &[Setting] = &[("stats", Word("on"))];
const STATS_OFF: &[Setting] = &[("stats", Word("off"))];

/// All groups but the idle ones.
pub fn groups() -> Vec<Group> {
    let mut groups = vec![
        group("ring", &[("hops", Number(100_000))])
            .figure_on(Pinned, "ring of 31 on one pinned stage", &[], AtMostFloors(2.0))
            .figure("ring of 31 on the pool", &[], AtMostFloors(5.0))
            .figure("ring of 31 on the pool", &[], TimesFasterThanPeers(6.0)),
        group("pingpong", &[("rounds", Number(30_000))])
            .figure_on(Pinned, "ping-pong between two pinned stages", &[], AtMostFloors(1.6))
            .figure("ping-pong on the pool", &[], TimesFasterThanPeers(5.0)),
        group("fjthrput", &[("messages", Number(20_000))])
            .figure("fjthrput", MAILBOXES_1, AtMostNanoseconds(25.0))
            .figure("fjthrput", MAILBOXES_1, TimesFasterThanPeers(3.5))
            .figure("stats on against off, fjthrput", STATS_ON, AtMostTimes(1.03, STATS_OFF)),
        group("fjthrput", &[("messages", Number(20_000))]).against(ACTOR_LIBRARIES).figure_on(
            Async,
            "AsyncActor with handlers that do not wait, fjthrput",
            MAILBOXES_1,
            TimesFasterThanPeers(3.0),
        ),
        group("chameneos", &[("meetings", Number(20_000))]).figure(
            "chameneos on the pool",
            &[],
            TimesFasterThanPeers(4.0),
        ),
        group("count", &[("messages", Number(100_000))]).figure(
            "count on the pool",
            &[],
            TimesFasterThanPeers(4.0),
        ),
        group("big", &[("pings", Number(500))]).figure(
            "big on the pool",
            &[],
            TimesFasterThanPeers(3.0),
        ),
        group("create", &[("actors", Number(20_000))])
            .figure("create, acknowledge, stop", &[], AtMostNanoseconds(200.0))
            .figure("create, acknowledge, stop", &[], TimesFasterThanPeers(5.0)),
        alone("forward", &[("hops", Number(2000))])
            .figure("forward: FIFO against LIFO", FIFO, AtMostTimes(1.15, LIFO))
            .figure(
                "forward: work stealing against the central queue",
                FIFO,
                AtMostTimes(1.0, CENTRAL),
            ),
        alone("timers", &[("timers", Number(100_000))]).figure(
            "arm and cancel a timer among 1,000,000",
            &[],
            AtMostNanoseconds(150.0),
        ),
        group("bank", &[("transfers", Number(20_000))]).with_all_runtimes().figure(
            "bank (1,000 accounts, 1,000,000 transfers)",
            &[],
            TimesFasterThanPeers(3.0),
        ),
        alone("restart", &[("restarts", Number(50))]).figure(
            "restart of a failed actor with 10,000 queued messages",
            &[],
            AtMostNanoseconds(10_000.0),
        ),
        alone("pressure", &[("milliseconds", Number(200))])
            // 0.9 of the consumer's limit; ten samples of six seconds are the minute.
            .figure("pressure: time of the consumer", &[], AtMostFloors(1.0 / 0.9))
            .figure("pressure: memory", &[], AtMostMiBAboveFloor(64)),
    ];
    groups.extend(front::groups());
    groups.extend(list_groups());
    groups.extend(stm::groups());
    groups.extend(speculative::groups());
    groups.extend(coordinated::groups());
    groups.extend(geostat::groups());
    groups.extend(selectors::groups());
    groups.extend(theaters::groups());
    groups.extend(heterogeneous::groups());
    groups
}

/// Each row of the list is a group of its own: its peers do the same row.
fn list_groups() -> Vec<Group> {
    let sizes = [(1, 125), (4, 125), (8, 125), (16, 125), (32, 125), (32, 500)];
    let rows = sizes.iter().flat_map(|size| ["read", "write", "mixed"].map(|mix| (*size, mix)));
    rows.map(|((list_actors, requesters), mix)| {
        // With 32 list actors each part of the list is short, and messaging dominates.
        let times = if list_actors == 32 { 2.0 } else { 1.3 };
        // With few list actors a request walks thousands of cells: fewer of them are as precise.
        let walks_far = list_actors <= 4;
        let requests = if walks_far { ", 200 requests each" } else { "" };
        let what =
            format!("list, {list_actors} list actors, {mix}, {requesters} requesters{requests}");
        let mut group = group("list", &[("requests", Number(40))]).with_all_runtimes().figure(
            &what,
            &[],
            TimesFasterThanPeers(times),
        );
        group.settings = vec![
            ("list_actors", Number(list_actors)),
            ("requesters", Number(requesters)),
            ("workload", Word(mix)),
        ];
        if walks_far {
            group.settings.push(("requests", Number(200)));
        }
        group
    })
    .collect()
}

fn group(workload: &'static str, quick: &'static [Setting]) -> Group {
    Group { workload, settings: Vec::new(), quick, peers: TOKIO, figures: Vec::new(), sweep: None }
}

/// Without other runtimes beside it.
fn alone(workload: &'static str, quick: &'static [Setting]) -> Group {
    group(workload, quick).against(&[])
}

impl Group {
    fn against(mut self, peers: &'static [&'static str]) -> Self {
        self.peers = peers;
        self
    }

    fn with(mut self, settings: &[Setting]) -> Self {
        self.settings.extend(settings);
        self
    }

    fn with_all_runtimes(mut self) -> Self {
        self.peers = &peers::ACTOR_RUNTIMES;
        self
    }

    /// The last figure's own case has these parameters, too, and those beside it that are in
    /// `as_long`.
    fn longer(
        mut self,
        settings: &'static [Setting],
        as_long: &'static [&'static [Setting]],
    ) -> Self {
        let figure = self.figures.last_mut().expect("a figure");
        (figure.longer, figure.as_long) = (settings, as_long);
        self
    }

    fn shown(mut self, sweep: Sweep) -> Self {
        self.sweep = Some(sweep);
        self
    }

    fn figure(self, what: &str, settings: &'static [Setting], goal: Goal) -> Self {
        self.figure_on(Pool, what, settings, goal)
    }

    fn figure_on(
        mut self,
        variant: Variant,
        what: &str,
        settings: &'static [Setting],
        goal: Goal,
    ) -> Self {
        let what = what.to_owned();
        self.figures.push(Figure { what, variant, settings, longer: &[], as_long: &[], goal });
        self
    }
}

impl Figure {
    /// The parameters of its own case; `params` has those that the cases beside it have too.
    pub(crate) fn own(&self, params: &Params) -> Params {
        params.clone().with_all(self.longer)
    }

    /// The parameters of a case beside it: those of the figure, where the case does not say
    /// otherwise.
    pub(crate) fn beside(&self, params: &Params, other: &[Setting]) -> Params {
        let beside = params.clone().with_all(other);
        if self.as_long.contains(&other) { beside.with_all(self.longer) } else { beside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads;

    #[test]
    fn every_figure_names_known_things() {
        let hardware = [2, 3, 16, 100].into_iter().flat_map(|cores| {
            let parts = [hardware::HardwarePart::Cores, hardware::HardwarePart::Gpu];
            parts.into_iter().flat_map(move |part| hardware::groups(part, cores))
        });
        for group in groups().into_iter().chain(hardware) {
            let about = workloads::find(group.workload).expect("the workload exists");
            let known = |settings: &[Setting]| {
                settings.iter().all(|(name, value)| {
                    let parameter = about.parameters.iter().find(|p| p.name == *name);
                    parameter.is_some_and(|p| p.parse(&value.to_string()) == Ok(*value))
                })
            };
            assert!(known(&group.settings) && known(group.quick), "{}", group.workload);
            assert!(group.peers.iter().all(|peer| about.peers.contains(peer)), "{}", about.name);
            for figure in &group.figures {
                assert!(known(figure.settings) && known(figure.longer), "{}", figure.what);
                assert!(about.variants.contains(&figure.variant), "{}", figure.what);
                for other in figure.goal.others() {
                    assert!(known(other), "{}", figure.what);
                }
            }
            if let Some(sweep) = &group.sweep {
                assert!(about.variants.contains(&sweep.variant), "{}", sweep.what);
                for row in &sweep.rows {
                    let at: Vec<_> = row.at.iter().map(|at| (sweep.over, Number(*at))).collect();
                    assert!(known(&row.settings) && known(&at), "{}: {}", sweep.what, row.name);
                }
            }
        }
    }

    #[test]
    fn the_list_has_eighteen_rows() {
        assert_eq!(list_groups().len(), 18);
    }
}
