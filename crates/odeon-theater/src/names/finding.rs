//! From a name to a reference: its first server says where the actor is, its theater gives a
//! reference to it. If nobody has the name, one theater may spawn who is to have it.

use odeon_sync::contained::{Theirs, quietly};
use std::any::Any;
use std::pin::Pin;
use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::wire::Erased;
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::deciding::RETRY;
use super::entry::{Entry, Id, key};
use super::error::NameError;
use super::home::NotPut;
use super::server::Server;
use super::tell::{Tell, Verdict, Wants};
use crate::network::{Messages, other_messages};
use crate::{Network, TheaterId};

/// An `ActorRef`, of a type that who wants it knows.
type Reference = Box<dyn Any + Send + Sync>;

type Fetch = Pin<Box<dyn Future<Output = Option<Reference>> + Send>>;

/// Spawns an actor for a name.
pub(super) type Make = Theirs<Box<dyn FnOnce() -> Erased + Send>>;

/// Who wants a reference, and knows the type of its messages.
pub(super) trait Seeker: Send {
    /// What that is called between theaters.
    fn messages(&self) -> String;

    /// Gets the reference from the theater of the actor. `None`: it is not there, or has ended.
    fn fetch(&self, network: &Network, home: TheaterId, id: Id) -> Fetch;

    fn answer(self: Box<Self>, found: Result<Reference, NameError>);
}

/// Wants an `ActorRef<M>`.
pub(super) struct Wanted<M: Message>(pub(super) Reply<Result<ActorRef<M>, NameError>>);

impl<M: Message + Serialize + DeserializeOwned> Seeker for Wanted<M> {
    fn messages(&self) -> String {
        Messages::of::<M>().to_string()
    }

    fn fetch(&self, network: &Network, home: TheaterId, id: Id) -> Fetch {
        let found = network.at(home).lookup::<M>(&key(id));
        Box::pin(async move {
            let actor = found.await.ok()?.ok()?;
            (!actor.is_stopped()).then(|| Box::new(actor) as Reference)
        })
    }

    fn answer(self: Box<Self>, found: Result<Reference, NameError>) {
        let typed = found.and_then(|found| match found.downcast::<ActorRef<M>>() {
            Ok(actor) => Ok(*actor),
            Err(_) => Err(NameError::OtherMessages(std::any::type_name::<M>().into())),
        });
        self.0.send(typed);
    }
}

/// Somebody who looks a name up.
pub(super) struct Finding {
    seeker: Box<dyn Seeker>,
    name: String,
    /// If nobody has it.
    make: Option<Make>,
    deadline: Duration,
    /// This registration has led nowhere.
    doubted: Option<Id>,
}

impl Finding {
    fn answer(self, found: Result<Reference, NameError>) {
        self.seeker.answer(found);
    }
}

impl Server {
    /// Looks up a name. Without anybody who has it, `make` is for one who gets it.
    pub(super) fn lookup(
        &mut self,
        name: String,
        make: Option<Make>,
        seeker: Box<dyn Seeker>,
        ctx: &mut Context<'_, Self>,
    ) {
        let deadline = self.deadline();
        self.find(Finding { seeker, name, make, deadline, doubted: None }, ctx);
    }

    fn find(&mut self, mut finding: Finding, ctx: &mut Context<'_, Self>) {
        let (name, wants) = (finding.name.clone(), Wants::Find { doubted: finding.doubted });
        self.ask(&name, wants, finding.deadline, ctx, move |it, verdict, ctx| match verdict {
            Some(Verdict::Found(entry)) => it.fetch(finding, entry, ctx),
            Some(Verdict::NotFound) => match finding.make.take() {
                Some(make) => it.claim(finding, make, ctx),
                None => finding.answer(Err(NameError::NotFound)),
            },
            _ => finding.answer(Err(NameError::Unavailable)),
        });
    }

    /// Gets the reference of a registration.
    fn fetch(&mut self, mut finding: Finding, entry: Entry, ctx: &mut Context<'_, Self>) {
        let Entry { id, home, messages, .. } = entry;
        let asked_for = finding.seeker.messages();
        if messages != asked_for {
            let other = NameError::OtherMessages(other_messages(&messages, &asked_for));
            return finding.answer(Err(other));
        }
        if home == self.me {
            let actor = self.own.get(&id).and_then(|own| own.actor.as_ref());
            return match actor.filter(|(actor, _)| !actor.0.is_stopped()) {
                Some((actor, _)) => finding.answer(Ok(actor.0.reference())),
                None => self.doubt_found(finding, id, ctx),
            };
        }
        if !self.view.contains(home) && finding.doubted != Some(id) {
            // Somebody who sees its theater, or knows that it is lost, is to say so.
            finding.doubted = Some(id);
            return self.find(finding, ctx);
        }
        let Some(network) = self.network.upgrade() else { return };
        let fetch = finding.seeker.fetch(&network, home, id);
        let left = finding.deadline.saturating_sub(self.now());
        ctx.pipe_within(left, fetch, move |it, fetched, ctx| match fetched {
            Ok(Some(reference)) => finding.answer(Ok(reference)),
            _ => it.doubt_found(finding, id, ctx),
        });
    }

    /// A registration leads nowhere: the first server of the name is to find out whether it is in
    /// force.
    fn doubt_found(&mut self, mut finding: Finding, id: Id, ctx: &mut Context<'_, Self>) {
        if self.now() >= finding.deadline {
            return finding.answer(Err(NameError::Unavailable));
        }
        finding.doubted = Some(id);
        ctx.send_after(RETRY, Tell::then(move |it, ctx| it.find(finding, ctx)));
    }

    /// Nobody has the name: this theater wants to spawn who gets it.
    fn claim(&mut self, mut finding: Finding, make: Make, ctx: &mut Context<'_, Self>) {
        let id = self.enter(&finding.name, &finding.seeker.messages(), self.me, true);
        self.put(id, ctx, move |it, put, ctx| match put {
            Ok(()) => it.spawn(id, finding, make, ctx),
            Err(NotPut::Taken(entry)) => {
                finding.make = Some(make);
                it.fetch(finding, entry, ctx);
            }
            Err(_) => finding.answer(Err(NameError::Unavailable)),
        });
    }

    /// This theater alone may spawn who gets the name, for a while.
    fn spawn(&mut self, id: Id, finding: Finding, make: Make, ctx: &mut Context<'_, Self>) {
        let over = Tell::then(move |it, ctx| {
            if it.own.get(&id).is_some_and(|own| own.entry.is_claim) {
                it.release(id, |_, _| {}, ctx);
            }
        });
        ctx.send_after(self.settings.spawn_within, over);
        ctx.spawn(Maker { work: Some((id, finding, make)), server: ctx.actor_ref() });
    }

    /// An actor has been spawned for a name.
    fn has_spawned(
        &mut self,
        mut id: Id,
        mut finding: Finding,
        spawned: Option<Erased>,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(actor) = spawned else {
            self.release(id, |_, _| {}, ctx);
            return finding.answer(Err(NameError::Panicked));
        };
        let address = self.network.upgrade().and_then(|network| network.address_of(&actor));
        if address.is_none_or(|address| address.theater != self.me.bits()) {
            self.release(id, |_, _| {}, ctx);
            return finding.answer(Err(NameError::TakesNoPart));
        }
        if !self.own.contains_key(&id) {
            // It has taken too long: if somebody has got the name meanwhile, this actor does not.
            id = self.enter(&finding.name, &finding.seeker.messages(), self.me, false);
        }
        let reference = actor.0.reference();
        self.keep(id, actor, None, ctx);
        self.put(id, ctx, move |it, put, ctx| match put {
            Ok(()) => finding.answer(Ok(reference)),
            Err(NotPut::Taken(entry)) => {
                finding.deadline = it.deadline();
                it.fetch(finding, entry, ctx);
            }
            Err(NotPut::Released) => finding.answer(Err(NameError::Ended)),
            Err(NotPut::Unavailable) => finding.answer(Err(NameError::Unavailable)),
        });
    }
}

/// Runs what spawns an actor, so that it holds up nobody.
struct Maker {
    work: Option<(Id, Finding, Make)>,
    server: ActorRef<Tell>,
}

impl Actor for Maker {
    type Msg = ();

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.stop();
        let Some((id, finding, make)) = self.work.take() else { return };
        let spawned = quietly(|| make.take()());
        let step = Tell::then(move |it, ctx| it.has_spawned(id, finding, spawned, ctx));
        // A server that has ended answers nobody.
        let _ = send_unhindered(&self.server, step);
    }
}
