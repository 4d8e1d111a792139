//! From addresses to names, where most lie in rows.
//!
//! A state with a hundred thousand accounts has their variables at equal distances, and their names
//! count up. Such a row of equal groups is one region, whatever its length.

use std::ops::Range;

/// TUNE: variables of a group at most: each of these lengths is tried where a region begins. As
/// many as a struct of elements that come in large numbers may have; guessed.
const GROUP: usize = 16;

/// What addresses are known for, beside their names.
pub(super) trait Known: Copy {
    /// Whether it is the same, as far as one can see: two that are the same may not look so.
    fn is_same(self, other: Self) -> bool;
}

/// Addresses that were enrolled, in any order.
#[derive(Debug)]
pub(super) struct Enrolled<C> {
    all: Vec<EnrolledOne<C>>,
    /// The components of all names.
    components: Vec<u32>,
}

#[derive(Debug, Clone)]
struct EnrolledOne<C> {
    address: usize,
    code: C,
    name: Range<usize>,
}

/// A component of a name that counts up, or that none does.
const NONE: usize = usize::MAX;

/// One of the variables of a group.
#[derive(Debug)]
struct GroupMember<C> {
    /// From the begin of the group.
    offset: usize,
    code: C,
    /// That in the first group.
    name: Range<usize>,
    /// Which component counts up from group to group.
    counting: usize,
}

#[derive(Debug)]
struct Region {
    begin: usize,
    /// From one group to the next.
    stride: usize,
    groups: usize,
    members: Range<usize>,
}

/// See the module. Its regions do not overlap.
#[derive(Debug)]
pub(super) struct Regions<C> {
    regions: Vec<Region>,
    members: Vec<GroupMember<C>>,
    components: Vec<u32>,
}

/// What an address is known for, and by which name.
#[derive(Debug)]
pub(super) struct KnownAddress<'a, C> {
    pub(super) code: C,
    components: &'a [u32],
    counting: usize,
    group: usize,
}

impl<'a, C> KnownAddress<'a, C> {
    /// The components of the name.
    pub(super) fn name(&self) -> impl ExactSizeIterator<Item = u32> + use<'a, C> {
        let (counting, group) = (self.counting, self.group as u32);
        let components = self.components.iter().enumerate();
        components.map(
            move |(place, component)| {
                if place == counting { component + group } else { *component }
            },
        )
    }
}

impl<C> Default for Enrolled<C> {
    fn default() -> Self {
        Self { all: Vec::new(), components: Vec::new() }
    }
}

impl<C> Default for Regions<C> {
    fn default() -> Self {
        Self { regions: Vec::new(), members: Vec::new(), components: Vec::new() }
    }
}

impl<C: Known> Enrolled<C> {
    pub(super) fn add(&mut self, address: usize, name: &[u32], code: C) {
        let begin = self.components.len();
        self.components.extend_from_slice(name);
        self.all.push(EnrolledOne { address, code, name: begin..self.components.len() });
    }

    /// # Panics
    ///
    /// Panics if an address was added twice.
    #[track_caller]
    pub(super) fn into_regions(mut self) -> Regions<C> {
        self.all.sort_unstable_by_key(|one| one.address);
        if let Some(twice) = self.all.windows(2).find(|pair| pair[0].address == pair[1].address) {
            let [one, other] = [0, 1].map(|place| &self.components[twice[place].name.clone()]);
            panic!("one variable was enrolled twice, as {one:?} and as {other:?}");
        }
        let mut regions = Regions::default();
        let mut rest = &self.all[..];
        while !rest.is_empty() {
            let members = (1..=GROUP.min(rest.len())).max_by_key(|members| {
                // Of several that cover as much the smallest group.
                (self.covered(rest, *members), GROUP - members)
            });
            let members = members.expect("there is one at least");
            let (region, behind) = rest.split_at(self.covered(rest, members));
            regions.add(region, members, &self.components);
            rest = behind;
        }
        regions
    }

    /// How many of the first `all` are groups of `members` at equal distances; one if no two are.
    fn covered(&self, all: &[EnrolledOne<C>], members: usize) -> usize {
        let Some(second) = all.get(members) else { return 1 };
        let stride = second.address - all[0].address;
        let mut counting = [None; GROUP];
        let mut covered = members;
        while let Some(one) = all.get(covered) {
            let before = &all[covered - members];
            let Some(counts) = self.counts_up(before, one) else { break };
            let expected = counting[covered % members].get_or_insert(counts);
            if one.address - before.address != stride || *expected != counts {
                break;
            }
            covered += 1;
        }
        let groups = covered / members;
        if groups < 2 { 1 } else { groups * members }
    }

    /// The component by which the name of `one` is one further than that of `before`, or that none
    /// is; `None` if they have less in common.
    fn counts_up(&self, before: &EnrolledOne<C>, one: &EnrolledOne<C>) -> Option<usize> {
        let names = [&self.components[before.name.clone()], &self.components[one.name.clone()]];
        if !before.code.is_same(one.code) || names[0].len() != names[1].len() {
            return None;
        }
        let mut differing =
            (0..names[0].len()).filter(|place| names[0][*place] != names[1][*place]);
        match (differing.next(), differing.next()) {
            (None, _) => Some(NONE),
            (Some(place), None) if names[0][place].checked_add(1) == Some(names[1][place]) => {
                Some(place)
            }
            _ => None,
        }
    }
}

impl<C: Known> Regions<C> {
    fn add(&mut self, all: &[EnrolledOne<C>], members: usize, components: &[u32]) {
        let begin = all[0].address;
        let first_member = self.members.len();
        for (place, one) in all[..members].iter().enumerate() {
            let first_component = self.components.len();
            let name = &components[one.name.clone()];
            self.components.extend_from_slice(name);
            let next = all.get(place + members).map(|next| &components[next.name.clone()]);
            let counting = next.and_then(|next| (0..name.len()).find(|at| name[*at] != next[*at]));
            self.members.push(GroupMember {
                offset: one.address - begin,
                code: one.code,
                name: first_component..self.components.len(),
                counting: counting.unwrap_or(NONE),
            });
        }
        let stride = all.get(members).map_or(usize::MAX, |second| second.address - begin);
        self.regions.push(Region {
            begin,
            stride,
            groups: all.len() / members,
            members: first_member..self.members.len(),
        });
    }

    /// What an address is known for.
    pub(super) fn find(&self, address: usize) -> Option<KnownAddress<'_, C>> {
        let behind = self.regions.partition_point(|region| region.begin <= address);
        let region = &self.regions[behind.checked_sub(1)?];
        let distance = address - region.begin;
        let (group, offset) = (distance / region.stride, distance % region.stride);
        let members = &self.members[region.members.clone()];
        let member = members.iter().find(|member| member.offset == offset)?;
        (group < region.groups).then(|| KnownAddress {
            code: member.code,
            components: &self.components[member.name.clone()],
            counting: member.counting,
            group,
        })
    }

    /// How many there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.regions.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_testkit::for_seeds;

    impl Known for u8 {
        fn is_same(self, other: Self) -> bool {
            self == other
        }
    }

    fn regions(enrolled: &[(usize, Vec<u32>, u8)]) -> Regions<u8> {
        let mut all = Enrolled::default();
        enrolled.iter().for_each(|(address, name, code)| all.add(*address, name, *code));
        let regions = all.into_regions();
        for (address, name, code) in enrolled {
            let place = regions.find(*address).expect("it was enrolled");
            assert!(place.code == *code && place.name().eq(name.iter().copied()));
        }
        regions
    }

    /// Accounts of three variables behind a variable, and another one behind them.
    #[test]
    fn rows_are_one_region() {
        let mut enrolled = vec![(992, vec![0], 1)];
        for account in 0..10_000_usize {
            let (begin, number) = (1_024 + 56 * account, account as u32);
            enrolled.push((begin, vec![1, number, 0], 1));
            enrolled.push((begin + 16, vec![1, number, 1], 1));
            enrolled.push((begin + 40, vec![1, number, 2], 2));
        }
        enrolled.push((1_024 + 56 * 10_000 + 8, vec![2], 1));
        enrolled.reverse();
        let regions = regions(&enrolled);
        assert_eq!((regions.len(), regions.members.len()), (3, 5));
        for nowhere in [0, 991, 993, 1_025, 1_048, 1_024 + 56 * 10_000, usize::MAX] {
            assert!(regions.find(nowhere).is_none(), "{nowhere}");
        }
    }

    #[test]
    fn parts_of_one_name_are_one_region() {
        let parts: Vec<_> = (0..64).map(|part| (128 * part, vec![7], 3)).collect();
        assert_eq!(regions(&parts).len(), 1);
    }

    #[test]
    fn nothing_is_known_of_an_empty_state() {
        assert!(regions(&[]).find(5).is_none());
    }

    #[test]
    #[should_panic(expected = "enrolled twice, as [1] and as [2]")]
    fn an_address_has_one_name() {
        let _ = regions(&[(8, vec![1], 0), (8, vec![2], 0)]);
    }

    /// Rows of any shape, with holes, names and codes that do not fit.
    #[test]
    fn whatever_was_enrolled_is_found_and_nothing_else() {
        for_seeds(300, |seed| {
            let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut below = |bound: u64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                (random >> 11) % bound
            };
            let (mut enrolled, mut address) = (Vec::new(), 0);
            for row in 0..below(8) as u32 {
                let (members, groups) = (1 + below(20) as u32, 1 + below(12) as u32);
                let stride = 16 * members as usize + 8 * below(3) as usize;
                for group in 0..groups {
                    for member in 0..members {
                        if below(30) > 0 {
                            let name = match below(40) {
                                0 => vec![row],
                                1 => vec![row, group + 1, member],
                                _ => vec![row, group, member],
                            };
                            let code = if below(40) == 0 { 9 } else { member as u8 % 3 };
                            enrolled.push((address + 16 * member as usize, name, code));
                        }
                    }
                    address += stride;
                }
            }
            let regions = regions(&enrolled);
            for address in 0..address + 64 {
                let is_enrolled = enrolled.iter().any(|one| one.0 == address);
                assert_eq!(regions.find(address).is_some(), is_enrolled, "{address}");
            }
        });
    }
}
