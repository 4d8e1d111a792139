//! Under which keys theaters meet.
//!
//! | key | what |
//! |---|---|
//! | `odeon/CLUSTER/to/RECEIVER/SENDER` | packets |
//! | `odeon/CLUSTER/here/THEATER` | a liveliness token: the theater is there |
//!
//! Theaters are written as 32 hexadecimal digits. The name of the cluster is written in hexadecimal
//! too, since it may have any letters, and keys may not.

use odeon_theater::TheaterId;

/// The keys of one cluster.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    cluster: String,
}

impl Keys {
    pub(crate) fn of_cluster(name: &str) -> Self {
        let letters: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        // A chunk of a key may not be empty.
        Self { cluster: format!("odeon/c{letters}") }
    }

    pub(crate) fn packets(&self, to: TheaterId, from: TheaterId) -> String {
        format!("{}/to/{to}/{from}", self.cluster)
    }

    pub(crate) fn all_packets(&self, to: TheaterId) -> String {
        format!("{}/to/{to}/*", self.cluster)
    }

    pub(crate) fn here(&self, theater: TheaterId) -> String {
        format!("{}/here/{theater}", self.cluster)
    }

    /// Of all clusters.
    pub(crate) fn everybody_here() -> &'static str {
        "odeon/*/here/*"
    }

    /// Whether that is a key of this cluster.
    pub(crate) fn are_of(&self, key: &str) -> bool {
        key.strip_prefix(&self.cluster).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The theater that a key ends with: the sender of a packet, or who is there.
pub(crate) fn last_theater(key: &str) -> Option<TheaterId> {
    let digits = key.rsplit('/').next()?;
    let is_written_so = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let bits = is_written_so.then(|| u128::from_str_radix(digits, 16).ok())??;
    Some(TheaterId::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_says_who_sends() {
        let keys = Keys::of_cluster("shop *");
        let (to, from) = (TheaterId::from_bits(1), TheaterId::from_bits(u128::MAX));
        assert_eq!(last_theater(&keys.packets(to, from)), Some(from));
        assert_eq!(last_theater(&keys.here(to)), Some(to));
        assert!(keys.are_of(&keys.here(to)));
        let others = Keys::of_cluster("shop *x");
        assert!(!keys.are_of(&others.here(to)) && !others.are_of(&keys.here(to)));
        for other in ["", "odeon/here/7", "odeon/here/+0000000000000000000000000000001"] {
            assert_eq!(last_theater(other), None, "{other}");
        }
    }
}
