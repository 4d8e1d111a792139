//! S22: spans follow messages across actors.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_sight::{Follow, Relation, Spans, followed};
use odeon_testkit::yields;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context as LayerContext, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;

/// What a subscriber has seen.
#[derive(Default)]
struct Seen {
    /// By span id: its name, its parent, and its fields.
    spans: HashMap<u64, (&'static str, Option<u64>, String)>,
    follows: Vec<(u64, u64)>,
    /// Of each event: its text and the spans it is in, outermost first.
    events: Vec<(String, Vec<u64>)>,
    entered: HashMap<u64, usize>,
    closed: usize,
}

#[derive(Clone, Default)]
struct Records(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Text(String);
impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Records {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, ctx: LayerContext<'_, S>) {
        let span = ctx.span(id).unwrap();
        let mut text = Text::default();
        attributes.record(&mut text);
        let parent = span.parent().map(|parent| parent.id().into_u64());
        let mut seen = self.0.lock().unwrap();
        seen.spans.insert(id.into_u64(), (span.name(), parent, text.0));
    }
    fn on_follows_from(&self, span: &Id, follows: &Id, _: LayerContext<'_, S>) {
        self.0.lock().unwrap().follows.push((span.into_u64(), follows.into_u64()));
    }
    fn on_enter(&self, id: &Id, _: LayerContext<'_, S>) {
        *self.0.lock().unwrap().entered.entry(id.into_u64()).or_default() += 1;
    }
    fn on_close(&self, _: Id, _: LayerContext<'_, S>) {
        self.0.lock().unwrap().closed += 1;
    }
    fn on_event(&self, event: &Event<'_>, ctx: LayerContext<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let scope = ctx.event_scope(event).into_iter().flat_map(|scope| scope.from_root());
        let scope = scope.map(|span| span.id().into_u64()).collect();
        self.0.lock().unwrap().events.push((text.0, scope));
    }
}

enum Job {
    Do(&'static str),
    Ask(Reply<()>),
    Answered,
}
impl Message for Job {}

/// Says that it does it, and passes it on; the last one asks instead.
struct Relay {
    next: ActorRef<Job>,
    is_last: bool,
}

impl Relay {
    fn take(&self, job: Job, reply_to: impl FnOnce() -> Reply<()>) {
        match job {
            Job::Do(what) => {
                tracing::info!(what);
                let on = if self.is_last { Job::Ask(reply_to()) } else { Job::Do(what) };
                self.next.send(on).unwrap();
            }
            Job::Ask(reply) => reply.send(()),
            Job::Answered => tracing::info!("answered"),
        }
    }
}

impl Actor for Relay {
    type Msg = Job;
    fn handle(&mut self, job: Job, ctx: &mut Context<'_, Self>) {
        self.take(job, || ctx.reply_to(|_| Job::Answered));
    }
}

struct Slow(Relay);

impl AsyncActor for Slow {
    type Msg = Job;
    async fn handle(&mut self, job: Job, ctx: &mut AsyncContext<'_, Self>) {
        yields(3).await;
        self.0.take(job, || ctx.reply_to(|_| Job::Answered));
    }
}

struct Answerer;
impl Actor for Answerer {
    type Msg = Job;
    fn handle(&mut self, job: Job, _: &mut Context<'_, Self>) {
        if let Job::Ask(reply) = job {
            reply.send(());
        }
    }
}

fn eventually(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A theater all of whose threads, and the test's own while `work` runs, tell `records`.
fn with_theater(
    records: &Records,
    layer: bool,
    relation: Relation,
    work: impl FnOnce(&Theater, &ActorRef<Job>),
) {
    let registry = tracing_subscriber::registry().with(records.clone());
    let dispatch = match layer {
        true => tracing::Dispatch::new(registry.with(Follow)),
        false => tracing::Dispatch::new(registry),
    };
    let on_threads = dispatch.clone();
    let theater = Theater::builder()
        .workers(2)
        .tracer(Arc::new(Spans::new().relation(relation)))
        .thread_context(move |work| tracing::dispatcher::with_default(&on_threads, work))
        .build()
        .unwrap();
    let stage = theater.pinned("pin").unwrap();
    let answerer = theater.actor().dedicated("own").spawn(Answerer).unwrap();
    let third = theater.actor().on(&stage).spawn(Relay { next: answerer, is_last: true });
    let second = theater.spawn(Slow(Relay { next: third, is_last: false }));
    let first = theater.spawn(Relay { next: second, is_last: false });
    tracing::dispatcher::with_default(&dispatch, || work(&theater, &first));
    assert!(theater.shutdown(Duration::from_secs(10)).drained);
}

/// The names of the spans of the events, by text.
fn paths(records: &Records) -> Vec<(String, Vec<&'static str>)> {
    let seen = records.0.lock().unwrap();
    let names = |scope: &Vec<u64>| scope.iter().map(|id| seen.spans[id].0).collect();
    seen.events.iter().map(|(text, scope)| (text.clone(), names(scope))).collect()
}

fn expected() -> Vec<(String, Vec<&'static str>)> {
    let path = |depth: usize| {
        std::iter::once("request").chain(std::iter::repeat_n("handle", depth)).collect::<Vec<_>>()
    };
    let done = "what=\"it\" ".to_owned();
    vec![
        (done.clone(), path(1)),
        (done.clone(), path(2)),
        (done, path(3)),
        // The question, and the answer.
        ("message=answered ".to_owned(), path(5)),
    ]
}

#[test]
fn s22_a_request_is_one_tree_of_spans_across_all_kinds_of_actors() {
    let records = Records::default();
    with_theater(&records, true, Relation::Child, |_, first| {
        let span = tracing::info_span!("request");
        span.in_scope(|| first.send(Job::Do("it")).unwrap());
        drop(span);
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        assert_eq!(paths(&records), expected());
        // Nothing keeps a span when all is handled.
        eventually(|| records.0.lock().unwrap().closed == 6);
        let seen = records.0.lock().unwrap();
        let (slow, (name, _, fields)) =
            seen.spans.iter().find(|(_, span)| span.2.contains("Slow")).expect("it has a span");
        assert_eq!(*name, "handle");
        assert!(fields.contains("actor=") && fields.contains("actor_type="), "{fields}");
        assert!(fields.contains("message_type=") && fields.contains("Job"), "{fields}");
        assert_eq!(seen.entered[slow], 4, "entered at each poll");
    });
}

#[test]
fn s22_without_the_layer_sends_are_followed_where_it_is_asked_for() {
    let records = Records::default();
    with_theater(&records, false, Relation::Child, |_, first| {
        let _span = tracing::info_span!("request").entered();
        followed(|| first.send(Job::Do("it")).unwrap());
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        assert_eq!(paths(&records), expected());
    });
    let records = Records::default();
    with_theater(&records, false, Relation::Child, |_, first| {
        let _span = tracing::info_span!("request").entered();
        first.send(Job::Do("it")).unwrap();
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        assert!(paths(&records).iter().all(|(_, path)| path.is_empty()));
    });
}

#[test]
fn s22_spans_may_follow_from_each_other_instead() {
    let records = Records::default();
    with_theater(&records, true, Relation::FollowsFrom, |_, first| {
        let request = tracing::info_span!("request");
        let id = request.id().expect("it is on").into_u64();
        request.in_scope(|| first.send(Job::Do("it")).unwrap());
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        let seen = records.0.lock().unwrap();
        assert!(seen.spans.values().all(|(_, parent, _)| parent.is_none()));
        // One chain: from the request over three relays and the answerer to the answer.
        let mut at = id;
        let mut length = 0;
        while let Some((next, _)) = seen.follows.iter().find(|(_, from)| *from == at) {
            (at, length) = (*next, length + 1);
        }
        assert_eq!((length, seen.follows.len()), (5, 5));
    });
}

#[test]
fn s22_timers_are_followed_to_where_they_were_armed() {
    let records = Records::default();
    with_theater(&records, true, Relation::Child, |theater, first| {
        let span = tracing::info_span!("request");
        span.in_scope(|| drop(first.send_after(Duration::from_millis(1), Job::Do("it"))));
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        assert_eq!(paths(&records), expected());
        let armed = span.in_scope(|| first.send_after(Duration::from_secs(99), Job::Do("never")));
        assert_eq!(theater.followed().unwrap().under_way, 1);
        assert!(armed.cancel());
        eventually(|| theater.followed().unwrap().under_way == 0);
    });
}

#[test]
fn s22_outside_of_spans_nothing_is_followed() {
    let records = Records::default();
    with_theater(&records, true, Relation::Child, |_, first| {
        drop(tracing::info_span!("request").entered());
        first.send(Job::Do("it")).unwrap();
        eventually(|| records.0.lock().unwrap().events.len() == 4);
        assert!(paths(&records).iter().all(|(_, path)| path.is_empty()));
        assert_eq!(records.0.lock().unwrap().spans.len(), 1);
    });
}
