//! Histories that are possible, and some that are not.

use super::*;

/// Two accounts. A transfer takes from the first one and then gives to the second one, as two
/// steps.
struct Accounts;

#[derive(Debug)]
enum Ask {
    Deposit(u64),
    Transfer(u64),
    Balances,
}

impl Model for Accounts {
    type State = [u64; 2];
    type Call = Ask;
    type Answer = [u64; 2];

    fn step(
        &self,
        &[first, second]: &[u64; 2],
        call: &Ask,
        step: usize,
        answer: Option<&[u64; 2]>,
    ) -> Step<[u64; 2]> {
        let is_right = |now: &[u64; 2]| answer.is_none_or(|told| told == now);
        let now = match *call {
            Ask::Deposit(amount) => [first + amount, second],
            Ask::Transfer(amount) if step == 0 => {
                return first
                    .checked_sub(amount)
                    .map_or(Step::Refuted, |left| Step::Next([left, second]));
            }
            // Whoever transfers is told nothing but that.
            Ask::Transfer(amount) => return Step::Last([first, second + amount]),
            Ask::Balances => [first, second],
        };
        if is_right(&now) { Step::Last(now) } else { Step::Refuted }
    }
}

type Told = (u64, u64, Ask, Option<[u64; 2]>);

fn explains(operations: impl IntoIterator<Item = Told>) -> bool {
    history(operations).unexplained(&Accounts, [10, 0]).is_none()
}

fn history(operations: impl IntoIterator<Item = Told>) -> History<Ask, [u64; 2]> {
    let mut history = History::new();
    for (called, until, ask, answer) in operations {
        let call = history.called(called, ask);
        if let Some(answer) = answer {
            history.answered(call, until, answer);
        }
    }
    history
}

#[test]
fn what_was_answered_before_is_seen() {
    let deposit = || (0, 10, Ask::Deposit(5), Some([15, 0]));
    let looks = |at, told| (at, at + 2, Ask::Balances, Some(told));
    assert!(explains([deposit(), looks(11, [15, 0])]));
    assert!(!explains([deposit(), looks(11, [10, 0])]));
    assert!(explains([deposit(), looks(5, [10, 0])]) && explains([deposit(), looks(5, [15, 0])]));
    assert!(explains([deposit(), looks(5, [10, 0]), looks(6, [15, 0])]));
    assert!(!explains([deposit(), looks(2, [15, 0]), looks(6, [10, 0])]), "back in time");
    assert!(!explains([deposit(), looks(5, [20, 0])]), "twice");
}

#[test]
fn what_was_not_answered_may_have_happened_or_not_and_once() {
    let lost = || (0, 0, Ask::Deposit(5), None);
    let looks = |at, told| (at, at, Ask::Balances, Some(told));
    assert!(explains([lost(), looks(100, [10, 0])]) && explains([lost(), looks(100, [15, 0])]));
    assert!(explains([lost(), looks(100, [10, 0]), looks(200, [15, 0])]), "late");
    assert!(!explains([lost(), looks(100, [15, 0]), looks(200, [10, 0])]), "taken back");
    assert!(!explains([lost(), looks(100, [20, 0])]), "twice");
    assert!(!explains([looks(1, [15, 0]), (5, 0, Ask::Deposit(5), None)]), "before it was asked");
}

#[test]
fn what_is_known_not_to_have_happened_has_not() {
    let mut history = history([(9, 9, Ask::Balances, Some([15, 0]))]);
    let deposit = history.called(0, Ask::Deposit(5));
    assert_eq!(history.counts(), (1, 1));
    assert!(history.unexplained(&Accounts, [10, 0]).is_none());
    history.undone(deposit);
    assert_eq!(history.counts(), (1, 0));
    let unexplained = history.unexplained(&Accounts, [10, 0]).expect("it has not happened");
    let text = "no order explains more than 0 answers; next would be one of:\n    9..9: Balances answered [15, 0]";
    assert_eq!(unexplained.to_string(), text);
}

#[test]
fn steps_of_one_operation_may_have_others_between() {
    let transfer = |answer| (0, 10, Ask::Transfer(4), answer);
    let looks = |at, told| (at, at, Ask::Balances, Some(told));
    let done = Some([0, 0]);
    assert!(explains([transfer(done), looks(3, [6, 0]), looks(5, [6, 4])]));
    assert!(!explains([transfer(done), looks(3, [10, 4])]), "given before it is taken");
    assert!(!explains([transfer(done), looks(11, [6, 0])]), "answered before it is given");
    assert!(explains([transfer(None), looks(11, [6, 0]), looks(90, [6, 0])]), "half of it");
    assert!(!explains([transfer(None), looks(11, [6, 0]), looks(90, [10, 0])]));
}

#[test]
fn many_clients_at_once_are_judged_in_time() {
    // Each of eight deposits what no other does; all overlap, and each is told the one order that
    // there was.
    let round = |round: u64| {
        let deposit = move |client: u64| {
            let sum: u64 = 10 + round * 255 + (1 << (client + 1)) - 1;
            (round * 10 + client, round * 10 + 9, Ask::Deposit(1 << client), Some([sum, 0]))
        };
        (0..8).map(deposit)
    };
    let good = || (0..100).flat_map(round);
    assert!(explains(good()));
    let wrong = good().chain([(2000, 2000, Ask::Balances, Some([10 + 255 * 100 + 1, 0]))]);
    assert!(!explains(wrong));
}

#[test]
#[should_panic(expected = "the client has been told")]
fn a_client_is_told_once() {
    let mut history = history([]);
    let call = history.called(0, Ask::Balances);
    history.answered(call, 1, [0, 0]);
    history.undone(call);
}
