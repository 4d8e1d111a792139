//! Theaters that have been cut off tell each other what they have decided: the PROTOCOL is in
//! `cut_off.rs`.

use std::sync::Arc;

use odeon_core::extend;
use odeon_core::wire::{Address, Inbound, StandIn};

use super::cut_off::{Aside, KEPT};
use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::references::seats::{Coming, Line, Sits};
use crate::routing::control::Control;
use crate::routing::peer::Peer;

impl Inner {
    /// The link by which an actor was to leave has ended.
    pub(in crate::network) fn has_decided(
        self: &Arc<Self>,
        to: TheaterId,
        attempt: u64,
        has_gone: bool,
    ) {
        let until = self.now().saturating_add(KEPT);
        let mut under_way = self.migrations.under_way();
        under_way.cut_off.decided.insert((to, attempt), (has_gone, until));
        drop(under_way);
        self.forgets_later();
    }

    /// The link by which an actor was to come has ended.
    pub(super) fn defers(self: &Arc<Self>, mut coming: Box<Coming>, stood: &Arc<dyn StandIn>) {
        // Otherwise the seat that has ended would be kept.
        coming.keeps = None;
        let until = self.now().saturating_add(KEPT);
        let which = (coming.from.id, coming.attempt);
        let aside = Aside { coming, stood: stood.clone(), until };
        let before = self.migrations.under_way().cut_off.aside.insert(which, aside);
        // Only who does not mean well has two that come by one attempt.
        before.into_iter().for_each(Aside::drop_it);
        self.forgets_later();
    }

    /// There is a link again: the first thing that is told by it.
    pub(in crate::network) fn tells_decisions(self: &Arc<Self>, peer: &Arc<Peer>) {
        let under_way = self.migrations.under_way();
        let all = (peer.id, 0)..=(peer.id, u64::MAX);
        let decided = under_way.cut_off.decided.range(all);
        let decided: Vec<_> =
            decided.map(|(&(_, attempt), &(has_gone, _))| (attempt, has_gone)).collect();
        drop(under_way);
        // Noted until then, since this may not come either: who is told twice has nothing aside any
        // more.
        for (attempt, has_gone) in decided {
            self.tell_peer(peer, &Control::Decided { attempt, has_gone });
        }
    }

    /// The theater from which an actor was to come says whether it has let it go.
    pub(in crate::network) fn is_decided(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        attempt: u64,
        has_gone: bool,
    ) {
        let aside = self.migrations.under_way().cut_off.aside.remove(&(peer.id, attempt));
        let Some(aside) = aside else { return };
        if !has_gone {
            return aside.drop_it();
        }
        let Aside { mut coming, stood, until } = aside;
        let (who, has_name) = (coming.who, coming.has_name);
        coming.from = peer.clone();
        let Some(stage) = self.pool.upgrade() else { return };
        let stands = loop {
            // Nobody is here, or comes from a third theater, unless somebody does not mean well.
            let is_elsewhere = |line: &mut Line| matches!(line.sits, Sits::Elsewhere(_));
            if self.seats.with(who, is_elsewhere) == Some(false) {
                return Aside { coming, stood, until }.drop_it();
            }
            // References that have come meanwhile lead to where it was; and another one may come at
            // this moment.
            self.loses(who);
            let kind = coming.kind.clone();
            match self.prepares(coming, kind.arriving(), &stage) {
                Ok(stands) => break stands,
                Err(back) if peer.is_dead() => {
                    let aside = Aside { coming: back, stood, until };
                    self.migrations.under_way().cut_off.aside.insert((peer.id, attempt), aside);
                    return;
                }
                Err(back) => coming = back,
            }
        };
        if let Some(inbound) = stands.inbound().filter(|_| has_name) {
            self.keeps_for_its_name(who, inbound);
        }
        self.comes(peer, stands.actor(), attempt);
    }

    /// All that stands here for an actor ends.
    fn loses(self: &Arc<Self>, who: Address) {
        let left = self.seats.with(who, |line| {
            let (references, next) =
                (std::mem::take(&mut line.references), std::mem::take(&mut line.next));
            (line.way.clone(), references, next)
        });
        let Some((way, references, next)) = left else { return };
        let to = way.course().to.take();
        if let Some(to) = to {
            self.give_back(&to, references);
        }
        next.iter().for_each(|to| self.give_back(to, 1));
        self.seats.forget(who).iter().for_each(|standing| standing.stands.lose());
    }

    /// Actors of this theater that were referred to from one that is lost: those that have a name
    /// are kept.
    pub(in crate::network) fn keeps_named(self: &Arc<Self>, lost: Vec<Arc<dyn Inbound>>) {
        for inbound in lost {
            let who = self.seats.who(inbound.actor());
            let has_name = |who: &Address| self.seats.with(*who, |line| line.has_name);
            if let Some(who) = who.filter(|who| has_name(who) == Some(true)) {
                self.keeps_for_its_name(who, inbound);
            }
        }
    }

    fn keeps_for_its_name(self: &Arc<Self>, who: Address, inbound: Arc<dyn Inbound>) {
        let until = self.now().saturating_add(KEPT);
        let before = self.migrations.under_way().cut_off.named.insert(who, (inbound, until));
        drop(before);
        self.forgets_later();
    }

    /// Somebody else keeps it.
    pub(in crate::network) fn keeps_no_longer(&self, who: Address) {
        let kept = self.migrations.under_way().cut_off.named.remove(&who);
        drop(kept);
    }

    /// Forgets what is too old, when what has been added now is.
    fn forgets_later(self: &Arc<Self>) {
        let Some(stage) = self.pool.upgrade() else { return };
        let mut under_way = self.migrations.under_way();
        if std::mem::replace(&mut under_way.forgets, true) {
            return;
        }
        drop(under_way);
        let network = Arc::downgrade(self);
        extend::alarm_at(&*stage, KEPT, move || {
            let Some(network) = network.upgrade() else { return };
            let mut under_way = network.migrations.under_way();
            under_way.forgets = false;
            let over = under_way.cut_off.forget(network.now());
            let is_empty = under_way.cut_off.is_empty();
            drop(under_way);
            over.0.into_iter().for_each(Aside::drop_it);
            drop(over.1);
            if !is_empty {
                network.forgets_later();
            }
        });
    }
}
