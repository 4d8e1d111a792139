//! Which workers work at the same time.

use std::fmt;
use std::sync::Arc;

use crate::worker::Place;

/// How many workers of each kind work: a configuration of a balancing pool.
///
/// Shown as `1 gpu + 3 cpu`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Configuration {
    counts: Arc<[(Arc<str>, usize)]>,
}

impl Configuration {
    pub(super) fn new(names: &[Arc<str>], counts: &[usize]) -> Self {
        Self { counts: names.iter().cloned().zip(counts.iter().copied()).collect() }
    }

    /// How many workers of this kind; 0 of one that there is not.
    pub fn count(&self, kind: &str) -> usize {
        self.counts.iter().find(|(name, _)| &**name == kind).map_or(0, |(_, count)| *count)
    }

    /// How many workers of each kind, in the order in which the pool was given the kinds.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.counts.iter().map(|(name, count)| (&**name, *count))
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for (name, count) in self.counts().filter(|(_, count)| *count > 0) {
            write!(f, "{before}{count} {name}")?;
            before = " + ";
        }
        if before.is_empty() { f.write_str("nobody") } else { Ok(()) }
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Configuration({self})")
    }
}

/// With so many configurations at most, each has 1 % of the work to be tried.
pub(super) const MOST_WITH_A_PERCENT: usize = 10;

/// The configurations that are tried unless the program says which: as in the thesis, section 6.4.
/// For each number of device workers: them alone; beside all CPU workers, and half of each CPU
/// kind; and beside so many fewer than all that each device worker has a core for the thread that
/// waits for it. CPU kinds are taken whole, by half or not at all, in all combinations; `by_energy`
/// also a quarter, and so on: what waits for memory saves nothing by more cores. The one with the
/// most workers comes first.
///
/// `kinds`: place and number of workers of each. `most`: of more configurations than that by
/// energy, or ten by time, those with parts of a kind are left out. `None`: there are more than
/// `most` without these.
pub(super) fn all_of(
    kinds: &[(Place, usize)],
    by_energy: bool,
    most: usize,
) -> Option<Vec<Vec<usize>>> {
    let (parts, few) = match by_energy {
        true => (WorkingShare::DownToOne, most),
        false => (WorkingShare::Half, most.min(MOST_WITH_A_PERCENT)),
    };
    combinations(kinds, parts, few).or_else(|| combinations(kinds, WorkingShare::None, most))
}

/// Which parts of a CPU kind work alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkingShare {
    None,
    Half,
    DownToOne,
}

/// `None`: there are more than `most`.
fn combinations(
    kinds: &[(Place, usize)],
    parts: WorkingShare,
    most: usize,
) -> Option<Vec<Vec<usize>>> {
    let mut found: Vec<Vec<usize>> = vec![vec![0; kinds.len()]];
    for (number, &(place, count)) in kinds.iter().enumerate() {
        let mut choices: Vec<usize> = match place {
            Place::Cpu if parts == WorkingShare::DownToOne => {
                std::iter::successors(Some(count), |count| (*count > 0).then(|| count / 2))
                    .collect()
            }
            Place::Cpu if parts == WorkingShare::Half && count > 1 => vec![0, count / 2, count],
            Place::Cpu => vec![0, count],
            Place::Device => (0..=count).collect(),
        };
        choices.dedup();
        // They differ, and only the one without any worker does not count: before there are too
        // many to list.
        if found.len().saturating_mul(choices.len()) > most.saturating_add(1) {
            return None;
        }
        found = choices
            .iter()
            .flat_map(|&count| {
                found.iter().cloned().map(move |mut counts| {
                    counts[number] = count;
                    counts
                })
            })
            .collect();
    }
    // Half of the workers leave cores as they are.
    let is_whole = |counts: &&Vec<usize>| {
        parts == WorkingShare::DownToOne
            || kinds.iter().zip(*counts).all(|((place, most), count)| {
                *place == Place::Device || *count == 0 || count == most
            })
    };
    let fewer = found.iter().filter(is_whole);
    let fewer: Vec<_> = fewer.filter_map(|counts| leaving_cores(kinds, counts)).collect();
    found.extend(fewer);
    found.retain(|counts| counts.iter().sum::<usize>() > 0);
    // Stable: of as many workers, first those with more of the kinds that come first.
    found.sort_by(|one, other| {
        let size = |counts: &Vec<usize>| counts.iter().sum::<usize>();
        size(other).cmp(&size(one)).then_with(|| other.cmp(one))
    });
    found.dedup();
    (found.len() <= most).then_some(found)
}

/// `counts` with one CPU worker less for each device worker; `None` if that leaves the CPU kinds as
/// they are, or empty.
fn leaving_cores(kinds: &[(Place, usize)], counts: &[usize]) -> Option<Vec<usize>> {
    let of = |place| {
        kinds.iter().zip(counts).filter(move |((at, _), _)| *at == place).map(|(_, count)| *count)
    };
    let mut to_leave: usize = of(Place::Device).sum();
    if to_leave == 0 || of(Place::Cpu).sum::<usize>() <= to_leave {
        return None;
    }
    let mut fewer = counts.to_vec();
    for ((place, _), count) in kinds.iter().zip(&mut fewer) {
        if *place == Place::Cpu {
            let left = to_leave.min(*count);
            *count -= left;
            to_leave -= left;
        }
    }
    Some(fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_the_thesis_with_and_without_a_core_for_each_device_worker() {
        let of = |kinds: &[(Place, usize)]| all_of(kinds, false, 64).unwrap();
        let found = of(&[(Place::Device, 1), (Place::Cpu, 16)]);
        assert_eq!(found, [[1, 16], [1, 15], [0, 16], [1, 8], [0, 8], [1, 0]]);
        let found = of(&[(Place::Device, 2), (Place::Cpu, 4)]);
        let as_said = [[2, 4], [1, 4], [2, 2], [1, 3], [0, 4], [1, 2], [2, 0], [0, 2], [1, 0]];
        assert_eq!(found, as_said);
    }

    #[test]
    fn by_time_no_parts_of_the_cores_if_all_together_would_have_too_much_of_the_work() {
        let of = |kinds: &[(Place, usize)]| all_of(kinds, false, 64).unwrap();
        let found = of(&[(Place::Device, 2), (Place::Cpu, 16)]);
        assert_eq!(found.len(), MOST_WITH_A_PERCENT);
        let found = of(&[(Place::Device, 3), (Place::Cpu, 16)]);
        assert!(found.iter().all(|counts| counts[1] != 8), "{found:?}");
    }

    #[test]
    fn two_kinds_for_cores_alone_and_together() {
        let of = |kinds: &[(Place, usize)]| all_of(kinds, false, 64).unwrap();
        let as_said = [[2, 1], [2, 0], [1, 1], [1, 0], [0, 1]];
        assert_eq!(of(&[(Place::Cpu, 2), (Place::Cpu, 1)]), as_said);
        assert_eq!(of(&[(Place::Cpu, 3)]), [[3], [1]]);
        assert_eq!(of(&[(Place::Cpu, 1)]), [[1]]);
    }

    #[test]
    fn by_energy_parts_of_the_cores_too_unless_that_is_too_much() {
        let kinds = [(Place::Device, 1), (Place::Cpu, 6)];
        let of = |kinds: &[(Place, usize)], most| all_of(kinds, true, most).unwrap();
        let found = of(&kinds, 64);
        let as_said = [[1, 6], [1, 5], [0, 6], [1, 3], [1, 2], [0, 3], [1, 1], [1, 0], [0, 1]];
        assert_eq!(found, as_said);
        assert_eq!(of(&kinds, 8), [[1, 6], [1, 5], [0, 6], [1, 0]]);
        let many = [(Place::Cpu, 64); 3];
        assert_eq!(of(&many, 64).len(), 7);
    }

    #[test]
    fn more_than_can_be_tried_are_not_listed() {
        for place in [Place::Cpu, Place::Device] {
            for kinds in [vec![(place, 2); 60], vec![(place, 1); 7]] {
                assert_eq!(all_of(&kinds, true, 64), None);
                assert_eq!(all_of(&kinds, false, 64), None);
            }
            assert_eq!(all_of(&[(place, 1); 6], false, 64).unwrap().len(), 63);
        }
    }

    #[test]
    fn says_who_works() {
        let names = ["gpu".into(), "cpu".into()];
        assert_eq!(Configuration::new(&names, &[1, 3]).to_string(), "1 gpu + 3 cpu");
        assert_eq!(Configuration::new(&names, &[0, 3]).to_string(), "3 cpu");
        assert_eq!(Configuration::new(&names, &[0, 0]).to_string(), "nobody");
        assert_eq!(Configuration::new(&names, &[1, 3]).count("cpu"), 3);
    }
}
