//! Every mode with transfers that meet, and what makes a run fail.

use super::transfers::{Found, What};
use super::*;
use crate::parameter::Value;
use crate::workloads::shared_state::{Plain, Shared};

const MODES: [&str; 7] =
    ["adaptive", "concurrent", "sequential", "plain", "sharded", "mutex", "rwlock"];

fn params(settings: &[(&str, u64)], mode: &'static str) -> Params {
    let start = ACCOUNTS
        .defaults()
        .with("mode", Value::Word(mode))
        .with("transfers", Value::Number(2000))
        .with("accounts", Value::Number(20))
        .with("handler_ns", Value::Number(100));
    settings.iter().fold(start, |params, (name, n)| params.with(name, Value::Number(*n)))
}

#[test]
fn money_is_kept_in_every_mode_and_audits_see_it() {
    for mode in MODES {
        let audits = if mode == "sharded" { 0 } else { 10 };
        let params = params(&[("hot", 50), ("audits", audits), ("workers", 3)], mode);
        ACCOUNTS.check(&params).expect("they fit together");
        let measured = ACCOUNTS.run(Variant::Pool, &params);
        assert_eq!(measured.unwrap_or_else(|error| panic!("{mode}: {error}")).ops, 2000);
    }
}

#[test]
fn hot_transfers_stay_within_the_hot_accounts() {
    let share = |hot| {
        let plan = Plan::new(&params(&[("hot", hot), ("senders", 1)], "plain"));
        let is_hot = |order: &transfers::Order| match order.what {
            What::Transfer { source, destination, .. } => {
                assert!(source != destination && source < 20 && destination < 20, "{order:?}");
                source < 4 && destination < 4
            }
            _ => panic!("no audits were asked for"),
        };
        plan.deeds_of(0).filter(is_hot).count()
    };
    assert_eq!(share(100), 2000);
    assert!((900..1300).contains(&share(50)), "{}", share(50));
    assert!(share(0) < 200, "{}", share(0));
}

#[test]
fn a_transfer_between_shards_is_two_messages() {
    let plan = Plan::new(&params(&[("senders", 1)], "sharded"));
    let mut shards: Vec<_> = (0..4).map(|_| plan.plain()).collect();
    let mut sent = 0;
    for order in plan.deeds_of(0) {
        Plan::parts(order, 4, |shard, part| {
            shards[shard].apply(part);
            sent += 1;
        });
    }
    assert!((2500..4000).contains(&sent), "{sent}");
    let found: Vec<Found> = shards.iter().map(Plain::outcome).collect();
    assert!(found.iter().any(|shard| shard.gained != 0));
    plan.check(found, &[1]).expect("no money is lost between shards");
}

#[test]
fn lost_money_and_wrong_audits_are_noticed() {
    let plan = Plan::new(&params(&[], "plain"));
    plan.check(
        vec![Found { gained: 5, wrong_audits: 0 }, Found { gained: -5, wrong_audits: 0 }],
        &[1],
    )
    .expect("it has moved to another shard");
    for (gained, wrong_audits) in [(-1, 0), (0, 1)] {
        let found = vec![Found { gained, wrong_audits }];
        assert!(plan.check(found, &[1]).is_err());
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = ACCOUNTS.check(&params(&[("audits", 1)], "sharded")).unwrap_err();
    assert!(refused.to_string().starts_with("--audits: "), "{refused}");
    let refused = ACCOUNTS.check(&params(&[("hot_accounts", 21)], "plain")).unwrap_err();
    assert!(refused.to_string().starts_with("--hot-accounts: "), "{refused}");
}
