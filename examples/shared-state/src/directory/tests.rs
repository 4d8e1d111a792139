use super::*;
use crate::SharedState;

fn plan(senders: usize, reads: u64, updates: u64) -> DirectoryPlan {
    DirectoryPlan {
        senders,
        keys: 50,
        zipf: Arc::new(Zipf::new(50, 0.99)),
        reads,
        updates,
        requests: 3000 / senders as u64,
        work: Work::of_ns(100),
        seed: 1,
    }
}

#[test]
fn a_map_that_is_not_as_counted_is_an_error() {
    let plan = plan(16, 90, 8);
    let counted = Changes { sessions: 3, touches: 5 };
    plan.check(vec![DirectoryFound { counted, seen: counted, strangers: 0 }], &[1])
        .expect("it is right");
    for (seen, strangers) in [
        (Changes { sessions: 2, ..counted }, 0),
        (Changes { touches: 6, ..counted }, 0),
        (counted, 1),
    ] {
        assert!(plan.check(vec![DirectoryFound { counted, seen, strangers }], &[1]).is_err());
    }
}

#[test]
fn requests_follow_the_shares() {
    let plan = plan(1, 60, 20);
    let of = |what| plan.deeds_of(0).filter(|request| request.what == what).count();
    let (lookups, touches, begun, ended) = (
        of(RequestKind::Lookup),
        of(RequestKind::Touch),
        of(RequestKind::Begin),
        of(RequestKind::End),
    );
    assert_eq!(lookups + touches + begun + ended, 3000);
    assert!((1650..1950).contains(&lookups), "{lookups}");
    assert!((500..700).contains(&touches), "{touches}");
    assert!((220..380).contains(&begun) && (220..380).contains(&ended), "{begun}, {ended}");
}

#[test]
fn ranks_are_drawn_in_proportion() {
    let drawn = |skew| {
        let (zipf, mut random) = (Zipf::new(4, skew), SplitMix64::new(3));
        let mut drawn = [0_u32; 4];
        (0..25_000).for_each(|_| drawn[zipf.draw(&mut random)] += 1);
        drawn
    };
    for (rank, (even, skewed)) in drawn(0.0).iter().zip(drawn(1.0)).enumerate() {
        assert!(even.abs_diff(6250) < 400, "{rank}: {even}");
        // 12/25, 6/25, 4/25, 3/25.
        let expected = 12_000 / (rank as u32 + 1);
        assert!(skewed.abs_diff(expected) < 400, "{rank}: {skewed}");
    }
    assert_eq!(Zipf::new(1, 0.99).draw(&mut SplitMix64::new(1)), 0);
}
