//! What each client asks of the list, and what it may be answered.

use super::SortedListSetup;
use crate::clients::Script;
use odeon_example_run::RunError;
use odeon_example_run::SplitMix64;

#[derive(Clone, Copy)]
pub(super) enum ListRequest {
    Add(i32),
    Contains(i32),
    Size,
}

/// What the list answers: the number that was added, whether one is there, or how many there are.
#[derive(Clone, Copy)]
pub(super) enum ListAnswer {
    Added(i32),
    Contains(bool),
    Size(usize),
}

pub(super) struct ListScript {
    random: SplitMix64,
    left: u64,
    writes: u64,
    sizes: u64,
    /// The most numbers that there can be.
    most: u64,
    last: ListRequest,
    /// How many this client has added, and which last.
    added: u64,
    last_added: Option<i32>,
}

impl ListScript {
    /// One for each client.
    pub(super) fn all(setup: &SortedListSetup) -> Vec<Self> {
        let requests = setup.requests;
        let script = |client| Self {
            random: SplitMix64::of_member(setup.seed, client),
            left: requests,
            writes: setup.writes,
            sizes: setup.sizes,
            most: setup.all_requests(),
            last: ListRequest::Size,
            added: 0,
            last_added: None,
        };
        (0..setup.clients).map(script).collect()
    }
}

impl Script for ListScript {
    type Request = ListRequest;
    type Answer = ListAnswer;

    fn next(&mut self) -> Option<ListRequest> {
        self.left = self.left.checked_sub(1)?;
        let drawn = self.random.next();
        let number = (drawn >> 32) as i32;
        self.last = match drawn % 100 {
            hundredth if hundredth < self.sizes => ListRequest::Size,
            hundredth if hundredth < self.sizes + self.writes => {
                self.added += 1;
                self.last_added = Some(number);
                ListRequest::Add(number)
            }
            _ => ListRequest::Contains(number),
        };
        Some(self.last)
    }

    fn check(&self, answer: ListAnswer) -> Result<(), String> {
        match (self.last, answer) {
            (ListRequest::Add(number), ListAnswer::Added(added)) if added == number => Ok(()),
            // Its own numbers are there.
            (ListRequest::Contains(number), ListAnswer::Contains(found))
                if found || self.last_added != Some(number) =>
            {
                Ok(())
            }
            // No fewer than its own, and no more than can have been added.
            (ListRequest::Size, ListAnswer::Size(size))
                if (self.added..=self.most).contains(&(size as u64)) =>
            {
                Ok(())
            }
            _ => Err("the list has answered another request, or lost a number".to_owned()),
        }
    }
}

/// Whether the list has the numbers that the clients have added, in order.
pub(super) fn check_numbers(
    setup: &SortedListSetup,
    found: Option<Vec<i32>>,
) -> Result<(), RunError> {
    let mut expected = Vec::new();
    for mut script in ListScript::all(setup) {
        while let Some(request) = script.next() {
            if let ListRequest::Add(number) = request {
                expected.push(number);
            }
        }
    }
    expected.sort_unstable();
    if found.as_ref() == Some(&expected) {
        return Ok(());
    }
    let found = found.map(|found| found.len());
    Err(RunError::WrongResult(format!("{found:?} numbers in the list, of {}", expected.len())))
}
