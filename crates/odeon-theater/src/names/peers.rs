//! How name servers find each other, and what they hand over when one comes or goes.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::{Actor, ActorRef, Context, Watch};

use super::entry::Entry;
use super::server::Server;
use super::settings::NameSettings;
use super::tell::Tell;
use super::view::View;
use crate::{End, MembershipEvent, TheaterId};

/// Under which name each theater publishes its server.
pub(super) const SERVER: &str = "odeon/names";

/// How many entries are handed over in one message.
// TUNE: 500, a guess: some 50 kB.
const TOGETHER: usize = 500;

/// Another name server.
pub(super) struct Peer {
    pub(super) server: ActorRef<Tell>,
    /// It has handed over what is to be known here, and from then on leaves decisions to whom it
    /// sees as first.
    has_handed_over: bool,
    watch: Watch,
}

/// Who is looked for, and who cannot be found.
#[derive(Default)]
pub(super) struct Search {
    /// Those that are being looked for; and whether once more behind that.
    under_way: HashMap<TheaterId, bool>,
    /// Those that could not be found.
    in_vain: HashMap<TheaterId, InVain>,
    /// Those that fell silent, and until when they are looked for.
    lost: BTreeMap<TheaterId, Duration>,
    is_armed: bool,
}

/// A theater in which no server has been found.
struct InVain {
    /// When somebody who knows of it has it looked for again.
    again_at: Duration,
    /// As it had joined when it was looked for, if it had.
    joined: Option<u64>,
}

/// Tells a server of the theaters that come and go.
pub(super) struct Ears(pub(super) ActorRef<Tell>);

impl Actor for Ears {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, ctx: &mut Context<'_, Self>) {
        let told = send_unhindered(&self.0, Tell::then(move |it, ctx| it.membership(event, ctx)));
        if told.is_err() {
            ctx.stop();
        }
    }
}

impl Server {
    fn membership(&mut self, event: MembershipEvent, ctx: &mut Context<'_, Self>) {
        match event {
            MembershipEvent::Joined(theater) => {
                self.search.lost.remove(&theater);
                self.search.in_vain.remove(&theater);
                if let Some(again) = self.search.under_way.get_mut(&theater) {
                    *again = true;
                }
                self.seek(theater, ctx);
            }
            MembershipEvent::Gone(theater, End::Left | End::Departed) => {
                self.search.lost.remove(&theater);
            }
            MembershipEvent::Gone(theater, _) => {
                let until = self.now().saturating_add(self.settings.seek_for);
                self.search.lost.insert(theater, until);
                self.arm_search(ctx);
            }
            _ => {}
        }
    }

    fn arm_search(&mut self, ctx: &mut Context<'_, Self>) {
        if !self.search.is_armed && !self.search.lost.is_empty() {
            self.search.is_armed = true;
            ctx.send_after(self.settings.seek_every, Tell::then(Self::seek_the_lost));
        }
    }

    fn seek_the_lost(&mut self, ctx: &mut Context<'_, Self>) {
        let now = self.now();
        self.search.is_armed = false;
        self.search.lost.retain(|_, until| *until > now);
        let lost: Vec<TheaterId> = self.search.lost.keys().copied().collect();
        lost.into_iter().for_each(|theater| self.seek(theater, ctx));
        self.arm_search(ctx);
    }

    /// Looks for the server of a theater.
    pub(super) fn seek(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        if self.view.contains(theater) || self.search.under_way.contains_key(&theater) {
            return;
        }
        let Some(network) = self.network.upgrade() else { return };
        self.search.under_way.insert(theater, false);
        let joined = network.joined().into_iter().find(|(id, _)| *id == theater);
        let joined = joined.map(|(_, joined)| joined);
        let found = network.at(theater).lookup::<Tell>(SERVER);
        ctx.pipe(found, move |it, found, ctx| {
            let again = it.search.under_way.remove(&theater) == Some(true);
            match found {
                Ok(Ok(server)) if !server.is_stopped() => it.meet(theater, server, ctx),
                _ if again => it.seek(theater, ctx),
                _ => it.is_nowhere(theater, joined, ctx),
            }
        });
    }

    /// Whether somebody of whom another theater knows is to be waited for: not if it could not be
    /// found before.
    pub(super) fn must_seek(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) -> bool {
        if self.view.contains(theater) {
            return false;
        }
        let again_at = self.search.in_vain.get(&theater).map(|in_vain| in_vain.again_at);
        if again_at.is_none_or(|again_at| again_at <= self.now()) {
            self.seek(theater, ctx);
        }
        again_at.is_none()
    }

    /// There is no server in a theater that can be found.
    fn is_nowhere(&mut self, theater: TheaterId, joined: Option<u64>, ctx: &mut Context<'_, Self>) {
        if self.view.contains(theater) {
            return;
        }
        self.is_in_vain(theater, joined);
        self.all_again(ctx);
    }

    fn is_in_vain(&mut self, theater: TheaterId, joined: Option<u64>) {
        let (now, NameSettings { seek_every, seek_for, .. }) = (self.now(), &self.settings);
        let is_recent = |in_vain: &InVain| in_vain.again_at.saturating_add(*seek_for) > now;
        self.search.in_vain.retain(|_, in_vain| is_recent(in_vain));
        let again_at = now.saturating_add(*seek_every);
        self.search.in_vain.insert(theater, InVain { again_at, joined });
    }

    /// Whether a theater has joined of which it is not known yet whether it takes part: it is
    /// looked for.
    ///
    /// WHY the network is asked: whoever is told that a theater has joined may have a question here
    /// before this server has been told so.
    fn sees_strangers(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let Some(network) = self.network.upgrade() else { return false };
        let (view, in_vain) = (&self.view, &self.search.in_vain);
        let is_stranger = |&(theater, joined): &(TheaterId, u64)| {
            let was_sought = in_vain.get(&theater).is_some_and(|it| it.joined == Some(joined));
            !was_sought && !view.contains(theater)
        };
        let strangers: Vec<_> = network.joined().into_iter().filter(is_stranger).collect();
        strangers.iter().for_each(|&(theater, _)| self.seek(theater, ctx));
        !strangers.is_empty()
    }

    /// A server is there: what it is to know is handed over to it.
    pub(super) fn meet(
        &mut self,
        theater: TheaterId,
        server: ActorRef<Tell>,
        ctx: &mut Context<'_, Self>,
    ) {
        let known = self.peers.get(&theater).map(|peer| peer.server == server);
        if theater == self.me || server.is_stopped() || known == Some(true) {
            return;
        }
        if known == Some(false) {
            // That of a link that has ended, of which the news is still to come.
            self.part(theater, ctx);
        }
        let its_end = server.id();
        let watch = ctx.watch(&server, move |_| {
            Tell::then(move |it, ctx| {
                if it.peers.get(&theater).is_some_and(|peer| peer.server.id() == its_end) {
                    it.part(theater, ctx);
                }
            })
        });
        self.peers.insert(theater, Peer { server, has_handed_over: false, watch });
        self.search.in_vain.remove(&theater);
        let (from, replicas, before) = (self.me, self.view.replicas(), self.view.clone());
        self.view.add(theater);
        // First, so that it knows whom to tell if it knows better.
        self.tell(theater, Tell::Meet { from, server: ctx.actor_ref(), replicas });
        self.hand_over(&before, ctx);
        self.tell(theater, Tell::HandedOver { from });
        self.follow_to(theater, ctx);
        self.bring_orphans(theater, ctx);
        self.all_are_to_be_confirmed(ctx);
        self.has_changed(ctx);
    }

    /// A server says that it is there.
    pub(super) fn met(
        &mut self,
        from: TheaterId,
        server: ActorRef<Tell>,
        replicas: usize,
        ctx: &mut Context<'_, Self>,
    ) {
        self.meet(from, server, ctx);
        let before = self.view.clone();
        if self.view.want(replicas) {
            self.hand_over(&before, ctx);
            self.has_changed(ctx);
        }
    }

    /// A server has handed over what is to be known here.
    pub(super) fn has_handed_over(&mut self, from: TheaterId, ctx: &mut Context<'_, Self>) {
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.has_handed_over = true;
            self.has_changed(ctx);
        }
    }

    /// A server has ended, or its theater is lost: names of its actors are free, and others take
    /// its place.
    fn part(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        let Some(peer) = self.peers.remove(&theater) else { return };
        peer.watch.cancel();
        let before = self.view.clone();
        self.view.remove(theater);
        self.is_in_vain(theater, None);
        self.held.retain(|_, entry| entry.home != theater);
        self.forget_moved_to(theater);
        self.hand_over(&before, ctx);
        self.all_are_to_be_confirmed(ctx);
        self.has_changed(ctx);
        // It may be back already: whoever was in sight when it joined anew was not looked for.
        self.seek(theater, ctx);
    }

    /// Whether enough servers are in sight, all theaters that have joined have been looked at, and
    /// all servers in sight have handed over what is to be known here: what is not known is not
    /// there.
    pub(super) fn knows_all(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        self.view.len() >= self.settings.least_servers
            && self.peers.values().all(|peer| peer.has_handed_over)
            && !self.sees_strangers(ctx)
    }

    pub(super) fn tell(&self, theater: TheaterId, tell: Tell) {
        if let Some(peer) = self.peers.get(&theater) {
            // Never held back: servers that wait for each other would wait for ever. One that has
            // ended is parted from.
            let _ = send_unhindered(&peer.server, tell);
        }
    }

    /// Has all servers of a name know of a registration.
    pub(super) fn spread(&mut self, entry: &Entry, ctx: &mut Context<'_, Self>) {
        for server in self.view.ranked(&entry.name) {
            if server == self.me {
                self.take_over(entry.clone(), ctx);
            } else {
                self.tell(server, Tell::Have(vec![entry.clone()]));
            }
        }
    }

    /// Tells those that are servers of a name and were none before, and keeps only what this one is
    /// a server of. Who has a name is told by its servers and by the theater of its actor, whoever
    /// of them is left.
    fn hand_over(&mut self, before: &View, ctx: &mut Context<'_, Self>) {
        let mut handed: BTreeMap<TheaterId, Vec<Entry>> = BTreeMap::new();
        let own = self.own.values().filter(|own| own.is_held).map(|own| &own.entry);
        let mut entries: Vec<&Entry> = self.held.values().chain(own).collect();
        // One order, whatever the maps' are: one seed is to be one run.
        entries.sort_by_key(|entry| entry.id);
        for entry in entries {
            let had = before.ranked(&entry.name);
            for server in self.view.ranked(&entry.name) {
                if !had.contains(&server) {
                    handed.entry(server).or_default().push(entry.clone());
                }
            }
        }
        let mine = handed.remove(&self.me);
        for (server, entries) in handed {
            for together in entries.chunks(TOGETHER) {
                self.tell(server, Tell::Have(together.to_vec()));
            }
        }
        let Self { held, view, me, .. } = self;
        // One that has come early, from who sees already what is to be seen here soon, stays.
        held.retain(|name, _| !before.ranked(name).contains(me) || view.ranked(name).contains(me));
        mine.into_iter().flatten().for_each(|entry| self.take_over(entry, ctx));
    }

    /// What was decided by whom was in sight is looked at anew.
    fn has_changed(&mut self, ctx: &mut Context<'_, Self>) {
        let mut servers: Vec<TheaterId> = self.view.all().collect();
        servers.sort_unstable();
        *self.servers.lock().expect("nothing panics under this lock") = servers;
        let given: Vec<String> = self.giving.keys().cloned().collect();
        given.into_iter().for_each(|name| self.give_again(&name, ctx));
        self.all_again(ctx);
    }
}
