//! The figures of the paper, and what its text says of them: data. Values that it only draws are
//! not read from its plots.

use super::drawn::Drawn;
use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};
use crate::workload::Workload;
use crate::workloads;

/// One figure, as it is run here.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) number: u8,
    pub(super) title: &'static str,
    pub(super) shows: &'static str,
    pub(super) workload: &'static str,
    /// Where they differ from the defaults.
    pub(super) settings: &'static [Setting],
    pub(super) quick: &'static [Setting],
    /// The parameter on the x axis, the paper's values, and those of a quick look.
    pub(super) swept: (&'static str, &'static [u64], &'static [u64]),
    pub(super) x_title: &'static str,
    pub(super) lines: &'static [(&'static str, &'static [Setting])],
    /// What stands behind the number of each plot, and from where to where its x axis goes.
    pub(super) parts: &'static [(&'static str, u64, u64)],
    /// From here on the paper lays straight lines through its values.
    pub(super) linear_from: u64,
    pub(super) statements: &'static [Statement],
}

/// What the paper says, in our words, and how to say it of what was measured here.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) paper: &'static str,
    pub(super) ours: fn(&Drawn) -> String,
}

impl Figure {
    pub(super) fn workload(&self) -> &'static Workload {
        workloads::find(self.workload).expect("a test looks for all of them")
    }

    pub(super) fn name(&self) -> String {
        format!("figure {}: {}", self.number, self.title)
    }
}

const fn says(paper: &'static str, ours: fn(&Drawn) -> String) -> Statement {
    Statement { paper, ours }
}

const LOCAL: &str = "local";
const REMOTE: &str = "remote";
const MOBILE: &str = "mobile";
const MOVED: &str = "mobile, created here and moved";

const ONE_WORKER: Setting = ("workers", Number(1));
const KIND_LOCAL: Setting = ("kind", Word(LOCAL));
const KIND_REMOTE: Setting = ("kind", Word(REMOTE));
const KIND_MOBILE: Setting = ("kind", Word(MOBILE));
const ALL_KINDS: &[(&str, &[Setting])] =
    &[(LOCAL, &[KIND_LOCAL]), (REMOTE, &[KIND_REMOTE]), (MOBILE, &[KIND_MOBILE])];

const WHOLE: &[(&str, u64, u64)] = &[("", 0, u64::MAX)];
/// As the paper divides them.
const FEW_AND_MANY: &[(&str, u64, u64)] = &[("a", 1, 10), ("b", 10, 320)];
const ONE_TO_320: &[u64] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 80, 160, 320];

pub(super) const ALL: &[Figure] = &[
    Figure {
        number: 5,
        title: "a ring in one theater",
        shows: "ThreadRing: one token, 500,000 to 1,000,000 hops round 31 actors of one theater, on one stage (here: a pool of one worker).",
        workload: "threadring",
        settings: &[ONE_WORKER],
        quick: &[],
        swept: ("hops", &[500_000, 600_000, 700_000, 800_000, 900_000, 1_000_000], &[500, 1000]),
        x_title: "hops",
        lines: ALL_KINDS,
        parts: WHOLE,
        linear_from: 0,
        statements: &[
            says(
                "A message to a remote actor takes practically as long as one to a local actor.",
                |it| it.slopes(REMOTE, LOCAL),
            ),
            says("A message to a mobile actor takes some 30 % longer.", |it| {
                it.slopes(MOBILE, LOCAL)
            }),
            says(
                "A run takes some 2.5 times (remote) and 3.26 times (mobile) as long to start as with local actors: theaters and a name server are set up.",
                |_| "not in these times, which begin when all theaters know each other".to_owned(),
            ),
            says("Straight lines: r above 0.999 for all three.", Drawn::correlations),
        ],
    },
    Figure {
        number: 6,
        title: "creation in one's own theater",
        shows: "100,000 to 600,000 actors are created, and each acknowledges that to the one that has created it; one stage (here: a pool of one worker). Here a remote actor is created as a local one is; what the first reference for another theater costs is `--created referred`.",
        workload: "remotecreate",
        settings: &[ONE_WORKER, ("created", Word("here"))],
        quick: &[],
        swept: ("actors", &[100_000, 200_000, 300_000, 400_000, 500_000, 600_000], &[150, 300]),
        x_title: "actors",
        lines: ALL_KINDS,
        parts: WHOLE,
        linear_from: 0,
        statements: &[
            says("A remote actor takes some 54 % longer to create than a local one.", |it| {
                it.slopes(REMOTE, LOCAL)
            }),
            says("A mobile actor takes some 438 % longer.", |it| it.slopes(MOBILE, LOCAL)),
            says(
                "Straight lines: r above 0.999 (local), 0.977 (remote and mobile).",
                Drawn::correlations,
            ),
        ],
    },
    Figure {
        number: 7,
        title: "creation at another theater",
        shows: "1,000 to 5,000 actors are created at another theater, or in one's own and then moved there; each acknowledges that from there.",
        workload: "remotecreate",
        settings: &[ONE_WORKER],
        quick: &[],
        swept: ("actors", &[1000, 2000, 3000, 4000, 5000], &[50, 100]),
        x_title: "actors",
        lines: &[
            (REMOTE, &[KIND_REMOTE]),
            (MOBILE, &[KIND_MOBILE]),
            (MOVED, &[KIND_MOBILE, ("created", Word("moved"))]),
        ],
        parts: WHOLE,
        linear_from: 0,
        statements: &[
            says("A mobile actor takes some 6 % longer to create there than a remote one.", |it| {
                it.slopes(MOBILE, REMOTE)
            }),
            says("To create it here and to move it is faster than to create it there.", |it| {
                it.slopes(MOVED, MOBILE)
            }),
            says(
                "SALSA 1.1.5: 100 actors in 1.84 s (standard deviation 0.033 s) created there, in 1.24 s (0.0092 s) created here and moved; that is an order of magnitude slower than 1,000 actors in SALSA Lite.",
                Drawn::at_first,
            ),
            says(
                "Straight lines: r above 0.979 (remote), 0.983 (mobile), 0.994 (created here and moved).",
                Drawn::correlations,
            ),
        ],
    },
    Figure {
        number: 8,
        title: "messages between theaters",
        shows: "TheaterRings: a token goes 1,000 hops round each of 1 to 320 rings, of which each has one actor on each of four theaters.",
        workload: "theaterrings",
        settings: &[ONE_WORKER],
        quick: &[("hops", Number(12))],
        swept: ("rings", ONE_TO_320, &[1, 2, 10, 20]),
        x_title: "rings",
        lines: &[(REMOTE, &[KIND_REMOTE]), (MOBILE, &[KIND_MOBILE])],
        parts: FEW_AND_MANY,
        linear_from: 10,
        statements: &[
            says("One ring: mobile actors are almost 5 times slower than remote ones.", |it| {
                it.times_at(1, MOBILE, REMOTE)
            }),
            says("Two rings: the same.", |it| it.times_at(2, MOBILE, REMOTE)),
            says(
                "More rings take less time at first. The fastest are remote actors with 6 rings, 1.518 s, and mobile ones with 20 rings, 1.971 s (SALSA 1.1.5: 6 rings, 2.001 s).",
                Drawn::fastest,
            ),
            says("From 10 rings on mobile actors are 5.55 % slower than remote ones.", |it| {
                it.slopes(MOBILE, REMOTE)
            }),
            says(
                "Remote actors are 2.05 times, mobile ones 1.94 times faster than SALSA 1.1.5, which runs into deadlocks from 7 rings on.",
                Drawn::rates,
            ),
            says(
                "Straight lines from 10 rings on: r above 0.999 (remote), 0.998 (mobile).",
                Drawn::correlations,
            ),
        ],
    },
    Figure {
        number: 9,
        title: "actors that move",
        shows: "MigrationRings: each of 1 to 320 actors moves 1,000 times, round four theaters.",
        workload: "migrationrings",
        settings: &[ONE_WORKER],
        quick: &[("migrations", Number(8))],
        swept: ("actors", ONE_TO_320, &[1, 10, 20]),
        x_title: "actors",
        lines: &[(MOBILE, &[])],
        parts: FEW_AND_MANY,
        linear_from: 10,
        statements: &[
            says(
                "One actor is slow; several take less time than one, all together.",
                Drawn::fastest,
            ),
            says("From 10 actors on 17.88 times faster than SALSA 1.1.5.", Drawn::rates),
            says("A straight line from 10 actors on: r above 0.999.", Drawn::correlations),
        ],
    },
];
