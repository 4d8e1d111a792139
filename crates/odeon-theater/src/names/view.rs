//! Which name servers there are, as far as one of them knows, and which of them know a name.
//!
//! The servers of a name are those of the highest weights, where the weight of a server comes from
//! the name and its theater alone. So everybody who sees the same servers finds the same ones, and
//! one more or less changes nothing for the names of the others.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::TheaterId;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct View {
    me: TheaterId,
    others: BTreeSet<TheaterId>,
    replicas: usize,
    changes: u64,
}

impl View {
    pub(super) fn new(me: TheaterId, replicas: usize) -> Self {
        Self { me, others: BTreeSet::new(), replicas, changes: 0 }
    }

    /// How many servers have come and gone.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// `false`: it was in sight already.
    pub(super) fn add(&mut self, server: TheaterId) -> bool {
        let is_new = server != self.me && self.others.insert(server);
        self.changes += u64::from(is_new);
        is_new
    }

    /// `false`: it was not in sight.
    pub(super) fn remove(&mut self, server: TheaterId) -> bool {
        let was_there = self.others.remove(&server);
        self.changes += u64::from(was_there);
        was_there
    }

    /// Another server wants so many servers for each name. `true`: that is more than before.
    pub(super) fn want(&mut self, replicas: usize) -> bool {
        let wants_more = replicas > self.replicas;
        self.replicas = self.replicas.max(replicas);
        wants_more
    }

    /// How many servers each name has, if there are so many.
    pub(super) fn replicas(&self) -> usize {
        self.replicas
    }

    /// All servers.
    pub(super) fn all(&self) -> impl Iterator<Item = TheaterId> {
        self.others.iter().copied().chain([self.me])
    }

    pub(super) fn len(&self) -> usize {
        self.others.len() + 1
    }

    pub(super) fn contains(&self, server: TheaterId) -> bool {
        server == self.me || self.others.contains(&server)
    }

    /// The servers of a name. The first one decides.
    pub(super) fn ranked(&self, name: &str) -> Vec<TheaterId> {
        let name = hash(name);
        let mut weighed: Vec<_> =
            self.all().map(|server| Reverse((weight(server, name), server))).collect();
        let servers = self.replicas.min(weighed.len());
        if servers < weighed.len() {
            weighed.select_nth_unstable(servers);
            weighed.truncate(servers);
        }
        weighed.sort_unstable();
        weighed.into_iter().map(|Reverse((_, server))| server).collect()
    }
}

/// FNV-1a of 64 bits. It is part of what theaters agree on: it must not change.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

fn weight(server: TheaterId, name: u64) -> u64 {
    let bits = server.bits();
    mix(mix(mix(name) ^ (bits >> 64) as u64) ^ bits as u64)
}

/// The last step of SplitMix64: each bit of the input decides about each bit of the output.
fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn id(number: u128) -> TheaterId {
        TheaterId::from_bits(number)
    }

    fn of(me: u128, servers: u128, replicas: usize) -> View {
        let mut view = View::new(id(me), replicas);
        for server in 1..=servers {
            view.add(id(server));
        }
        view
    }

    #[test]
    fn who_sees_the_same_servers_finds_the_same_ones() {
        for name in 0..100 {
            let name = name.to_string();
            let ranked = of(1, 7, 3).ranked(&name);
            assert_eq!(ranked.len(), 3);
            assert!((2..=7).all(|me| of(me, 7, 3).ranked(&name) == ranked), "{name}");
        }
    }

    #[test]
    fn one_server_less_moves_its_names_alone_and_the_next_one_follows() {
        for name in 0..200 {
            let name = name.to_string();
            let mut view = of(1, 6, 3);
            let before = view.ranked(&name);
            view.remove(id(6));
            let after = view.ranked(&name);
            let expected: Vec<_> = before.iter().copied().filter(|&it| it != id(6)).collect();
            assert_eq!(after[..expected.len()], expected, "{name}");
        }
    }

    #[test]
    fn names_are_spread_evenly() {
        let view = of(1, 5, 1);
        let mut names: HashMap<TheaterId, u32> = HashMap::new();
        for name in 0..5_000 {
            *names.entry(view.ranked(&format!("account/{name}"))[0]).or_default() += 1;
        }
        assert!(
            names.len() == 5 && names.values().all(|&n| (800..1_200).contains(&n)),
            "{names:?}"
        );
    }

    #[test]
    fn what_theaters_agree_on_does_not_change() {
        assert_eq!(hash("a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
    }
}
