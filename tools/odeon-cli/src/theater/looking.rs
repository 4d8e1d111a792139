//! Who is there, as all that can say so see it.

use odeon_core::ActorRef;
use odeon_theater::{ControlRequest, Membership, Network, Overview, TheaterId};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::complaints::Complaints;
use super::error::TheaterError;
use super::reach::{GuestTheater, Reach};

/// TUNE: ms, guessed 2026-11: how often is looked whether all are there of whom others know.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// TUNE: ms, guessed 2026-11: how long is waited for others if nobody can say who is there.
const UNTIL_MET: Duration = Duration::from_millis(500);

/// A theater, as it was found.
pub(super) struct FoundTheater {
    pub(super) id: TheaterId,
    pub(super) is: Membership,
    /// `None`: it has no control actor, or that has not answered.
    pub(super) served: Option<(ActorRef<ControlRequest>, Overview)>,
}

impl FoundTheater {
    pub(super) fn name(&self) -> &str {
        self.served.as_ref().map_or("-", |(_, overview)| &overview.name)
    }

    /// Its name, or identity if nothing is known of that.
    pub(super) fn called(&self) -> String {
        self.served.as_ref().map_or_else(|| self.id.to_string(), |(_, its)| its.name.clone())
    }

    pub(super) fn overview(&self) -> Option<&Overview> {
        self.served.as_ref().map(|(_, overview)| overview)
    }
}

/// All theaters that there are, in the order of names and identities: once none is missing of which
/// another one knows, or the time is up.
pub(super) fn look(
    member: &GuestTheater,
    reach: &Reach,
    within: Duration,
) -> Result<Vec<FoundTheater>, TheaterError> {
    let begun = Instant::now();
    loop {
        let mut found = look_once(&member.network, begun + within);
        let known: BTreeSet<TheaterId> = found.iter().map(|theater| theater.id).collect();
        let overviews = || found.iter().filter_map(FoundTheater::overview);
        let is_missing = |(id, is): &(TheaterId, Membership)| {
            *is == Membership::Present && *id != member.network.id() && !known.contains(id)
        };
        let can_say = overviews().next().is_some() || begun.elapsed() >= UNTIL_MET;
        let all_are_there = !found.is_empty()
            && can_say
            && !overviews().any(|overview| overview.members.iter().any(is_missing));
        if all_are_there || begun.elapsed() >= within {
            if found.is_empty() {
                let (where_to, within) = (reach.connects_to(), within.as_secs());
                let refused = member.network.refused();
                let why = refused.first().map(|(_, why)| why.to_string());
                let heard = || member.complaints.as_ref().and_then(Complaints::why);
                let why = why.or_else(heard).unwrap_or_else(|| "nobody answers".to_owned());
                return Err(TheaterError::failed(format!(
                    "no theater of the cluster was found within {within} s: {where_to} ({why})"
                )));
            }
            found.sort_by(|a, b| (a.name(), a.id).cmp(&(b.name(), b.id)));
            return Ok(found);
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

fn look_once(network: &Network, until: Instant) -> Vec<FoundTheater> {
    // All at once: one that does not answer holds up nobody.
    let left = || until.saturating_duration_since(Instant::now());
    let members = network.members();
    let asked: Vec<_> = members.iter().map(|&(id, _)| network.control_of(id)).collect();
    let controls = asked.into_iter().map(|ask| ask.wait_timeout(left()).ok()?.ok());
    let asked: Vec<_> = controls
        .map(|control: Option<ActorRef<ControlRequest>>| {
            control.map(|control| (control.ask(ControlRequest::Overview), control))
        })
        .collect();
    let answered = asked.into_iter().map(|asked| {
        let (ask, control) = asked?;
        Some((control, ask.wait_timeout(left()).ok()?))
    });
    let all = members.into_iter().zip(answered);
    all.map(|((id, is), served)| FoundTheater { id, is, served }).collect()
}
