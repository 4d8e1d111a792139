use super::*;
use crate::{Plain, SharedState};

fn plan(senders: usize, hot: u64) -> AccountsPlan {
    AccountsPlan {
        senders,
        accounts: 20,
        hot,
        hot_accounts: 4,
        audits: 0,
        transfers: 2000 / senders as u64,
        work: Work::of_ns(100),
        seed: 1,
    }
}

#[test]
fn hot_transfers_stay_within_the_hot_accounts() {
    let share = |hot| {
        let is_hot = |order: &AccountOrder| match order.what {
            OrderKind::Transfer { source, destination, .. } => {
                assert!(source != destination && source < 20 && destination < 20, "{order:?}");
                source < 4 && destination < 4
            }
            _ => panic!("no audits were asked for"),
        };
        plan(1, hot).deeds_of(0).filter(is_hot).count()
    };
    assert_eq!(share(100), 2000);
    assert!((900..1300).contains(&share(50)), "{}", share(50));
    assert!(share(0) < 200, "{}", share(0));
}

#[test]
fn a_transfer_between_shards_is_two_messages() {
    let plan = plan(1, 0);
    let mut shards: Vec<_> = (0..4).map(|_| plan.plain()).collect();
    let mut sent = 0;
    for order in plan.deeds_of(0) {
        AccountsPlan::parts(order, 4, |shard, part| {
            shards[shard].apply(part);
            sent += 1;
        });
    }
    assert!((2500..4000).contains(&sent), "{sent}");
    let found: Vec<AccountsFound> = shards.iter().map(Plain::outcome).collect();
    assert!(found.iter().any(|shard| shard.gained != 0));
    plan.check(found, &[1]).expect("no money is lost between shards");
}

#[test]
fn lost_money_and_wrong_audits_are_noticed() {
    let plan = plan(16, 0);
    plan.check(
        vec![
            AccountsFound { gained: 5, wrong_audits: 0 },
            AccountsFound { gained: -5, wrong_audits: 0 },
        ],
        &[1],
    )
    .expect("it has moved to another shard");
    for (gained, wrong_audits) in [(-1, 0), (0, 1)] {
        let found = vec![AccountsFound { gained, wrong_audits }];
        assert!(plan.check(found, &[1]).is_err());
    }
}
