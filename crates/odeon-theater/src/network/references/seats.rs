//! The seats of this theater: for actors that live elsewhere and are referred to here, and for
//! those of this theater that may leave it.
//!
//! All that is known of one actor is its line: the seat for new references, and before it others
//! that have messages to hand over and that nobody refers to any more. The way of the first one is
//! open; the next one's opens when that has ended: so what one sender sends by either stays in
//! order.

mod departing;
mod ended;
mod line;
mod residents;
mod way_out;

use std::any::Any;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use odeon_core::extend::Submit;
use odeon_core::wire::{Address, Arriving, Native, Reference, StandIn, WireError};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use crate::TheaterId;
use crate::routing::way::{To, Way};

pub(in crate::network) use departing::Departing;
pub(in crate::network) use line::{Coming, Follower, Line, LostWay, Sits, Standing};
pub(in crate::network) use way_out::WayOut;

/// See the module.
pub(in crate::network) struct Seats {
    known: Mutex<SeatTable>,
    /// Whether there has ever been a mobile actor here: for a look without the lock.
    are_mobile: AtomicBool,
}

pub(in crate::network) struct SeatTable {
    /// By the actor: where it was created. All but natives that have not been introduced.
    lines: HashMap<Address, Line>,
    /// For whom the seat with this number is.
    by_number: HashMap<u64, Address>,
    /// By seats elsewhere: for whom those lines are that lead there. Several, if a reference was
    /// written there whose own seat was about to end.
    by_route: BTreeSet<(Address, Address)>,
    /// Seats that led to the dead, until they have ended.
    lost: HashMap<u64, Arc<dyn StandIn>>,
}

type CountedReference = Box<dyn Any + Send + Sync>;

/// An actor has moved on.
pub(in crate::network) struct Moved {
    pub(in crate::network) who: Address,
    /// Its seat there.
    pub(in crate::network) at: Address,
    /// The so manieth time that it has moved.
    pub(in crate::network) moves: u64,
    /// By which number a reference to that seat is granted to who is told.
    pub(in crate::network) grant: u64,
}

/// What is to be told of a reference that leaves.
pub(in crate::network) enum Leads {
    /// It leads to an actor of this theater.
    Here,
    /// It leads to this seat elsewhere.
    To(Reference),
}

impl SeatTable {
    /// The line of the actor for whom a seat is, and who that is.
    fn line_of_seat(&mut self, seat: u64) -> Option<(Address, &mut Line)> {
        let who = self.who(seat)?;
        Some((who, self.lines.get_mut(&who)?))
    }

    fn who(&self, seat: u64) -> Option<Address> {
        self.by_number.get(&seat).copied()
    }
}

impl Seats {
    pub(in crate::network) fn new() -> Self {
        Self {
            known: Mutex::new(SeatTable {
                lines: HashMap::new(),
                by_number: HashMap::new(),
                by_route: BTreeSet::new(),
                lost: HashMap::new(),
            }),
            are_mobile: AtomicBool::new(false),
        }
    }

    /// A reference arrives that leads elsewhere. Answers it, and whether it is one more at the seat
    /// that it leads to: otherwise it is to be given back.
    ///
    /// # Errors
    /// If the actor takes other messages than the reference says, or its theater is dead.
    pub(in crate::network) fn arrives<W: WayOut>(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
        stage: &Arc<dyn Submit>,
        to: To,
        out: impl FnOnce(Arc<Way>, bool) -> W,
    ) -> (Result<CountedReference, WireError>, bool) {
        let who = reference.born.unwrap_or(reference.at);
        let mut known = self.lock();
        let SeatTable { lines, by_number, by_route, .. } = &mut *known;
        let line = match lines.entry(who) {
            Entry::Occupied(line) => {
                let line = line.into_mut();
                let counts = line.at() == Some(reference.at);
                if counts {
                    line.references += 1;
                }
                let last = line.last();
                if last.stands.message_type() != arriving.message_type() {
                    return (Err(WireError::OtherMessages), counts);
                }
                if let Some(reference) = last.stands.reference() {
                    return (Ok(reference), counts);
                }
                if !counts {
                    // Its seats are about to end, and what they have sent goes before.
                    return (Err(WireError::Refused("the actor is about to end here")), false);
                }
                line
            }
            Entry::Vacant(place) => {
                if to.peer.is_dead() {
                    let dead = WireError::Refused("the theater of an actor is dead");
                    return (Err(dead), true);
                }
                by_route.insert((reference.at, who));
                place.insert(Line::elsewhere(reference.at, Arc::new(Way::to(to))))
            }
        };
        let is_first = line.standing.is_empty();
        let outbound = Arc::new(out(line.way.clone(), is_first));
        let (actor, stands) = arriving.seat(stage, outbound.clone(), reference.has_lanes);
        outbound.is_of(stands.actor(), who);
        by_number.insert(stands.actor(), who);
        line.standing.push_back(Standing { stands, outbound });
        (Ok(actor), true)
    }

    /// An actor that was created here is introduced, if it has not been: from here on its line is
    /// known.
    pub(in crate::network) fn introduce<W: WayOut>(
        &self,
        me: TheaterId,
        native: &Native,
        out: impl FnOnce(Arc<Way>, bool) -> W,
    ) {
        let who = Address { theater: me.bits(), actor: native.actor() };
        let way = Arc::new(Way::closed());
        let outbound = Arc::new(out(way.clone(), true));
        // Under the lock: whoever else wants to introduce it finds its line behind that.
        let mut known = self.lock();
        let Some(stands) = native.introduce(outbound.clone()) else { return };
        // It may have ended meanwhile, on another thread.
        if outbound.is_of(native.actor(), who) {
            let standing = Standing { stands, outbound };
            known.by_number.insert(native.actor(), who);
            known.lines.insert(who, Line::here(way, standing, native.kind()));
        }
    }

    /// Where a reference to the actor of this seat leads; `None`: it is none of a seat.
    pub(in crate::network) fn leads(&self, seat: u64) -> Option<Leads> {
        self.leads_by(seat, |_| 0)
    }

    /// The same of a reference that is to be written, under the number that `grant` answers.
    pub(in crate::network) fn leads_by(
        &self,
        seat: u64,
        grant: impl FnOnce(Address) -> u64,
    ) -> Option<Leads> {
        let known = self.lock();
        let who = known.who(seat)?;
        let line = known.lines.get(&who);
        Some(match line.and_then(|line| Some((line.at()?, line.last().stands.has_lanes()))) {
            None => Leads::Here,
            Some((at, has_lanes)) => {
                let born = (at != who).then_some(who);
                Leads::To(Reference { at, born, has_lanes, grant: grant(at) })
            }
        })
    }

    /// Whom the seat with this number is for, if it is one whose actor is of this theater or has
    /// been.
    pub(in crate::network) fn who(&self, seat: u64) -> Option<Address> {
        self.lock().who(seat)
    }

    /// A reference to an actor that has a seat here, if it takes these messages.
    pub(in crate::network) fn reference(
        &self,
        who: Address,
        arriving: &dyn Arriving,
    ) -> Option<CountedReference> {
        let known = self.lock();
        let last = known.lines.get(&who)?.last();
        let is_of_type = last.stands.message_type() == arriving.message_type();
        is_of_type.then(|| last.stands.reference()).flatten()
    }

    /// The seat with this number.
    pub(in crate::network) fn get(&self, seat: u64) -> Option<Arc<dyn StandIn>> {
        let known = self.lock();
        let line = known.lines.get(known.by_number.get(&seat)?)?;
        line.standing
            .iter()
            .find(|standing| standing.stands.actor() == seat)
            .map(|standing| standing.stands.clone())
    }

    /// The last seats from which messages go to one elsewhere: of each actor that is known by it.
    pub(in crate::network) fn by_route(&self, at: Address) -> Vec<Arc<dyn StandIn>> {
        let known = self.lock();
        let lines = known
            .by_route
            .range((at, Address { theater: 0, actor: 0 })..)
            .take_while(|(to, _)| *to == at);
        let lines = lines.filter_map(|(_, who)| known.lines.get(who));
        lines.map(|line| line.last().stands.clone()).collect()
    }

    /// Does something with what is known of an actor.
    pub(in crate::network) fn with<R>(
        &self,
        who: Address,
        work: impl FnOnce(&mut Line) -> R,
    ) -> Option<R> {
        let mut known = self.lock();
        let SeatTable { lines, by_route, .. } = &mut *known;
        let line = lines.get_mut(&who)?;
        let before = (line.at(), line.is_elsewhere());
        let result = work(line);
        let after = (line.at(), line.is_elsewhere());
        if before.0 != after.0 {
            if let Some(before) = before.0 {
                by_route.remove(&(before, who));
            }
            if let Some(after) = after.0 {
                by_route.insert((after, who));
            }
        }
        let news = (before != after).then(|| line.news(after.1)).flatten();
        // Who is told may send.
        drop(known);
        if let Some(news) = news {
            news.tell();
        }
        Some(result)
    }

    /// Has somebody told, in place of another one, whenever the actor of a seat sits elsewhere from
    /// then on.
    pub(in crate::network) fn follow(&self, seat: u64, told: Follower) {
        let mut known = self.lock();
        if let Some((_, line)) = known.line_of_seat(seat) {
            line.follower = Some(told);
        }
    }

    /// A line for an actor that comes and has none: with one seat, whose way is closed.
    ///
    /// # Errors
    /// The actor, if there is a line.
    pub(in crate::network) fn prepare<W: WayOut>(
        &self,
        mut coming: Box<Coming>,
        arriving: &dyn Arriving,
        stage: &Arc<dyn Submit>,
        out: impl FnOnce(Arc<Way>, bool) -> W,
    ) -> Result<Arc<dyn StandIn>, Box<Coming>> {
        let mut known = self.lock();
        let who = coming.who;
        let SeatTable { lines, by_number, .. } = &mut *known;
        let Entry::Vacant(place) = lines.entry(who) else { return Err(coming) };
        // Looked at here: its end looks for those that come from there behind this.
        if coming.from.is_dead() {
            return Err(coming);
        }
        let way = Arc::new(Way::closed());
        let outbound = Arc::new(out(way.clone(), true));
        let (actor, stands) = arriving.seat(stage, outbound.clone(), coming.kind.has_lanes());
        outbound.is_of(stands.actor(), who);
        by_number.insert(stands.actor(), who);
        coming.keeps = Some(actor);
        // One that has been put aside has some.
        coming.earlier.get_or_insert_with(|| stands.nothing_earlier());
        let standing = Standing { stands: stands.clone(), outbound };
        let mut line = Line::here(way, standing, coming.kind.name());
        line.sits = Sits::Coming(coming, None);
        place.insert(line);
        Ok(stands)
    }

    /// If the actor of a seat has moved on: once for each theater that is told.
    pub(in crate::network) fn has_moved_on(
        &self,
        seat: u64,
        told: TheaterId,
        grant: impl FnOnce(Address) -> u64,
    ) -> Option<Moved> {
        let mut known = self.lock();
        let (who, line) = known.line_of_seat(seat)?;
        let Sits::Elsewhere(at) = line.sits else { return None };
        // Where the last move that is known here led.
        let at = line.next.back().map_or(at, |to| to.peer.address(to.seat));
        line.told.insert(told).then(|| Moved { who, at, moves: line.moves, grant: grant(at) })
    }

    /// Whether the actor of a seat has moved on.
    pub(in crate::network) fn has_left(&self, seat: u64) -> bool {
        let known = self.lock();
        let line = known.by_number.get(&seat).and_then(|who| known.lines.get(who));
        line.is_some_and(|line| matches!(line.sits, Sits::Elsewhere(_)))
    }

    /// A theater that was told so did not know the actor.
    pub(in crate::network) fn is_not_known(&self, seat: u64, theater: TheaterId) {
        let mut known = self.lock();
        if let Some((_, line)) = known.line_of_seat(seat) {
            line.told.remove(&theater);
        }
    }

    /// Actors here may have come or may leave.
    pub(in crate::network) fn note_mobile(&self) {
        // Not written again: all that create mobile actors come by here.
        if !self.are_mobile() {
            // ORDERING: Relaxed: as below.
            self.are_mobile.store(true, Ordering::Relaxed);
        }
    }

    /// Whether actors here may have come or may leave.
    #[inline]
    pub(in crate::network) fn are_mobile(&self) -> bool {
        // ORDERING: Relaxed: set before the first of them can be known elsewhere.
        self.are_mobile.load(Ordering::Relaxed)
    }

    /// Whom the seat with this number is for, if its actor is about to come from a theater.
    pub(in crate::network) fn comes_from(&self, seat: u64, theater: TheaterId) -> Option<Address> {
        let known = self.lock();
        let who = *known.by_number.get(&seat)?;
        match &known.lines.get(&who)?.sits {
            Sits::Coming(coming, _) if coming.from.id == theater && !coming.is_here => Some(who),
            _ => None,
        }
    }

    /// A seat has ended. Answers whom it was for, and what is left of its line if it was the last
    /// one.
    fn ended(&self, seat: u64) -> Option<(Address, Option<Line>)> {
        let mut known = self.lock();
        let SeatTable { lines, by_number, by_route, lost } = &mut *known;
        let Some(who) = by_number.remove(&seat) else {
            lost.remove(&seat);
            return None;
        };
        let line = lines.get_mut(&who)?;
        line.standing.retain(|standing| standing.stands.actor() != seat);
        if let Some(first) = line.standing.front() {
            if first.outbound.goes_first() {
                first.stands.wake();
            }
            line.remind();
            return Some((who, None));
        }
        if let Some(at) = line.at() {
            by_route.remove(&(at, who));
        }
        Some((who, lines.remove(&who)))
    }

    /// The seats from which messages go to a theater, in the order of their actors' numbers.
    pub(in crate::network) fn of(&self, theater: TheaterId) -> Vec<Arc<dyn StandIn>> {
        let known = self.lock();
        let of_theater = known.lines.iter().filter(|(_, line)| line.is_to(theater));
        let mut lines: Vec<_> = of_theater.collect();
        lines.sort_unstable_by_key(|(who, _)| **who);
        let standing = lines.iter().flat_map(|(_, line)| &line.standing);
        standing.map(|standing| standing.stands.clone()).collect()
    }

    /// The seat with this number, if it led to the dead and has not ended yet.
    pub(in crate::network) fn lost(&self, seat: u64) -> Option<Arc<dyn StandIn>> {
        self.lock().lost.get(&seat).cloned()
    }

    /// All actors of which `is_concerned` says so, in the order of their numbers.
    pub(in crate::network) fn all(&self, is_concerned: impl Fn(&Line) -> bool) -> Vec<Address> {
        let known = self.lock();
        let concerned = known.lines.iter().filter(|(_, line)| is_concerned(line));
        let mut all: Vec<_> = concerned.map(|(&who, _)| who).collect();
        all.sort_unstable();
        all
    }

    /// The way of an actor's seats leads to the dead: nothing is known of them any more.
    pub(in crate::network) fn forget(&self, who: Address) -> Vec<Standing> {
        let mut known = self.lock();
        let Some(mut line) = known.lines.remove(&who) else { return Vec::new() };
        if let Some(at) = line.at() {
            known.by_route.remove(&(at, who));
        }
        for standing in &line.standing {
            let number = standing.stands.actor();
            known.by_number.remove(&number);
            known.lost.insert(number, standing.stands.clone());
            // What still waits goes the way of all that is sent to the dead.
            standing.outbound.goes_first();
        }
        line.way.open();
        // Before they end: who is told takes none of these ends for that of the actor.
        let news = line.news(true);
        drop(known);
        if let Some(news) = news {
            news.tell();
        }
        line.standing.into()
    }

    /// Whether the actor of this seat is elsewhere, or nobody here knows where. `None`: there is no
    /// such seat, or none any more.
    pub(in crate::network) fn is_elsewhere(&self, seat: u64) -> Option<bool> {
        self.lock().line_of_seat(seat).map(|(_, line)| line.is_elsewhere())
    }

    /// How many actors elsewhere are referred to here.
    pub(in crate::network) fn elsewhere(&self) -> usize {
        self.lock().lines.values().filter(|line| line.at().is_some()).count()
    }

    fn lock(&self) -> MutexGuard<'_, SeatTable> {
        self.known.lock().expect("nothing panics under this lock")
    }
}
