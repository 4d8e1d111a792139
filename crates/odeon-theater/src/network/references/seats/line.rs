//! What is known of one actor that has a seat here.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use odeon_core::extend::WrittenGuards;
use odeon_core::wire::{Address, Earlier, Kind, Settler, StandIn};

use crate::TheaterId;
use crate::network::references::seats::departing::Departing;
use crate::network::references::seats::way_out::WayOut;
use crate::routing::marks::Mark;
use crate::routing::peer::Peer;
use crate::routing::way::{To, Way};

/// TUNE: how many marks are remembered: a theater waits for two at most.
const MOST_PASSED: usize = 64;

/// See the module.
pub(in crate::network) struct Line {
    pub(in crate::network) standing: VecDeque<Standing>,
    pub(in crate::network) way: Arc<Way>,
    pub(in crate::network) sits: Sits,
    /// References that have come here, all counted where messages go.
    pub(in crate::network) references: u64,
    /// How often the actor has moved, as far as it is known here; of the last of `next`, if there
    /// are any.
    pub(in crate::network) moves: u64,
    /// Theaters that have been told that the actor has moved from here.
    pub(in crate::network) told: BTreeSet<TheaterId>,
    /// Where messages are to go instead, one after the other; one reference there has come for
    /// each.
    pub(in crate::network) next: VecDeque<To>,
    /// The way has been closed for the first of these, with this number.
    pub(in crate::network) turning: Option<u64>,
    /// Marks of other theaters that have been passed on by the present way, for which they wait.
    pub(in crate::network) passed: VecDeque<Vec<u8>>,
    /// The actor is about to be let go to this seat, and what is aside is being handed over.
    pub(in crate::network) going: Option<Address>,
    /// Who is told when messages go elsewhere.
    pub(in crate::network) follower: Option<Follower>,
    /// How often somebody was told so.
    told_so: u64,
    /// An actor that wants to come, until only one seat is left.
    pub(in crate::network) waits: Option<Box<Coming>>,
    /// Of which kind the actor is, if it has ever sat here.
    pub(in crate::network) kind: &'static str,
    /// Whether it has names of the network, or had when it came, as far as it is known here: of
    /// those that had not followed it yet nobody says here that they are over.
    pub(in crate::network) has_name: bool,
}

/// Is told whether an actor sits elsewhere, or here again; the so manieth time. What is told on two
/// threads may come in the wrong order.
pub(in crate::network) type Follower = Arc<dyn Fn(u64, bool) + Send + Sync>;

/// What a follower is to be told, without the lock.
pub(super) struct News {
    follower: Follower,
    number: u64,
    is_elsewhere: bool,
}

impl News {
    pub(super) fn tell(self) {
        (self.follower)(self.number, self.is_elsewhere);
    }
}

/// A seat.
pub(in crate::network) struct Standing {
    pub(in crate::network) stands: Arc<dyn StandIn>,
    pub(in crate::network) outbound: Arc<dyn WayOut>,
}

/// Where an actor sits, as this theater knows it.
pub(in crate::network) enum Sits {
    Here,
    /// It has been written, and has not been let go.
    Leaving(Box<Departing>),
    /// Messages go to a seat elsewhere.
    Elsewhere(Address),
    /// It has been read, and is not yet here. If its seat has stood here before: where messages
    /// went.
    Coming(Box<Coming>, Option<Address>),
}

/// An actor that comes.
pub(in crate::network) struct Coming {
    pub(in crate::network) from: Arc<Peer>,
    /// The number by which the other theater knows it.
    pub(in crate::network) attempt: u64,
    /// Its seat there.
    pub(in crate::network) left: u64,
    pub(in crate::network) who: Address,
    /// The so manieth time that it moves.
    pub(in crate::network) moves: u64,
    pub(in crate::network) kind: Arc<dyn Kind>,
    pub(in crate::network) settler: Settler,
    pub(in crate::network) guards: WrittenGuards,
    pub(in crate::network) has_name: bool,
    /// What has come for it behind it.
    pub(in crate::network) earlier: Option<Earlier>,
    /// The other theater has been told that it can come, and holds a reference to its seat.
    pub(in crate::network) is_awaited: bool,
    /// All that was to come has.
    pub(in crate::network) is_here: bool,
    /// Keeps its seat.
    pub(in crate::network) keeps: Option<Box<dyn Any + Send + Sync>>,
}

/// What becomes of an actor's seats whose way has been lost.
pub(in crate::network) enum LostWay {
    /// The way leads to where the actor has moved: nothing comes by the old one any more. Marks
    /// that went by it, and may be lost, go by the new one.
    Turned(u64, VecDeque<Vec<u8>>),
    /// The actor is about to come. Nothing comes to it by the old way any more, for which those
    /// wait whose marks went by it.
    Comes(VecDeque<Vec<u8>>),
    /// They end.
    Over,
}

impl Line {
    pub(super) fn elsewhere(at: Address, way: Arc<Way>) -> Self {
        Self::new(way, Sits::Elsewhere(at), 1)
    }

    pub(super) fn here(way: Arc<Way>, standing: Standing, kind: &'static str) -> Self {
        let mut line = Self::new(way, Sits::Here, 0);
        line.kind = kind;
        line.standing.push_back(standing);
        line
    }

    fn new(way: Arc<Way>, sits: Sits, references: u64) -> Self {
        Self {
            standing: VecDeque::with_capacity(1),
            way,
            sits,
            references,
            moves: 0,
            told: BTreeSet::new(),
            next: VecDeque::new(),
            turning: None,
            passed: VecDeque::new(),
            going: None,
            follower: None,
            told_so: 0,
            waits: None,
            kind: "",
            has_name: false,
        }
    }

    /// The seat elsewhere to which messages go; `None`: the actor is here.
    pub(in crate::network) fn at(&self) -> Option<Address> {
        match &self.sits {
            Sits::Elsewhere(at) | Sits::Coming(_, Some(at)) => Some(*at),
            Sits::Here | Sits::Leaving(_) | Sits::Coming(_, None) => None,
        }
    }

    /// Whether the actor lives elsewhere: also if it is not known by which way it is to be reached.
    pub(super) fn is_elsewhere(&self) -> bool {
        match &self.sits {
            Sits::Here | Sits::Leaving(_) => false,
            Sits::Elsewhere(_) => true,
            Sits::Coming(coming, _) => !coming.is_here,
        }
    }

    pub(super) fn news(&mut self, is_elsewhere: bool) -> Option<News> {
        let follower = self.follower.clone()?;
        self.told_so += 1;
        Some(News { follower, number: self.told_so, is_elsewhere })
    }

    /// Whether messages go to a theater.
    pub(super) fn is_to(&self, theater: TheaterId) -> bool {
        self.at().is_some_and(|at| at.theater == theater.bits())
    }

    pub(in crate::network) fn last(&self) -> &Standing {
        self.standing.back().expect("a line is forgotten with its last seat")
    }

    pub(in crate::network) fn first(&self) -> &Standing {
        self.standing.front().expect("a line is forgotten with its last seat")
    }

    /// The theater to which messages go is dead.
    pub(in crate::network) fn has_lost_its_way(&mut self, turn: u64) -> LostWay {
        match &mut self.sits {
            Sits::Coming(_, before) => {
                *before = None;
                self.references = 0;
                LostWay::Comes(std::mem::take(&mut self.passed))
            }
            _ if self.next.is_empty() => LostWay::Over,
            _ => {
                let turn = *self.turning.get_or_insert(turn);
                // Those were the dead theater's.
                self.references = 0;
                LostWay::Turned(turn, std::mem::take(&mut self.passed))
            }
        }
    }

    /// The seat elsewhere has ended to which messages went. If the actor is about to come here,
    /// they go nowhere until then: answers the marks that went by that way, the way itself, and how
    /// many references to that seat were here.
    pub(in crate::network) fn comes_by_another_way(
        &mut self,
        ended: Address,
    ) -> Option<(VecDeque<Vec<u8>>, Arc<Way>, u64)> {
        let Sits::Coming(_, before) = &mut self.sits else { return None };
        before.take_if(|before| *before == ended)?;
        let references = std::mem::take(&mut self.references);
        Some((std::mem::take(&mut self.passed), self.way.clone(), references))
    }

    /// Forgets a dead theater as one to which messages are to go. `true`: the way had been closed
    /// for that.
    pub(in crate::network) fn does_not_turn_to(&mut self, theater: TheaterId) -> bool {
        let was_next =
            self.turning.is_some() && self.next.front().is_some_and(|to| to.peer.id == theater);
        self.next.retain(|to| to.peer.id != theater);
        if was_next {
            self.turning = None;
        }
        was_next
    }

    /// A mark is passed on.
    pub(in crate::network) fn has_passed_on(&mut self, mark: &[u8]) {
        let is_waited_for =
            matches!(Mark::from_bytes(mark), Some(Mark::Through { .. } | Mark::Ready { .. }));
        if is_waited_for {
            self.passed.push_back(mark.to_vec());
            if self.passed.len() > MOST_PASSED {
                self.passed.pop_front();
            }
        }
    }

    /// Reminds the first seat of what is to be done at it.
    pub(in crate::network) fn remind(&self) {
        if !self.next.is_empty() && self.turning.is_none() {
            self.first().stands.mark(Mark::Reroute.to_bytes());
        }
    }
}
