//! The directory as a plain map and as a transactional one.

use super::{Changes, DirectoryFound, DirectoryRequest, RequestKind};
use crate::{Plain, Speculative};
use odeon_speculative::TxResult;
use odeon_stm::{TMap, TVar, Tx};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the directory knows of a session.
#[derive(Debug, Clone, Copy)]
struct KnownSession {
    key: u64,
    touches: i64,
}

impl KnownSession {
    fn new(key: u64) -> Self {
        Self { key, touches: 0 }
    }

    fn touched(self) -> Self {
        Self { touches: self.touches + 1, ..self }
    }
}

/// The sessions that are there before the first request.
fn at_first(keys: u64) -> impl Iterator<Item = (u64, KnownSession)> {
    (0..keys).step_by(2).map(|key| (key, KnownSession::new(key)))
}

/// Lookups that found a session of another key.
#[derive(Default)]
struct Strangers(AtomicU64);

impl Strangers {
    fn compare(&self, request: DirectoryRequest, session: Option<&KnownSession>) {
        request.work.compute(session.map_or(request.key, |session| session.touches as u64));
        if session.is_some_and(|session| session.key != request.key) {
            // ORDERING: Relaxed: a count, read when all senders have been answered.
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is found in a map that had so many sessions at first.
    fn found(&self, counted: Changes, at_first: i64, seen: SessionsSeen) -> DirectoryFound {
        let seen_changes = Changes { sessions: seen.sessions - at_first, touches: seen.touches };
        // ORDERING: Relaxed, as above.
        let strangers = self.0.load(Ordering::Relaxed) + seen.strangers;
        DirectoryFound { counted, seen: seen_changes, strangers }
    }
}

/// What a walk over the sessions sees.
#[derive(Default)]
struct SessionsSeen {
    sessions: i64,
    touches: i64,
    strangers: u64,
}

impl SessionsSeen {
    fn and(self, key: u64, session: &KnownSession) -> Self {
        Self {
            sessions: self.sessions + 1,
            touches: self.touches + session.touches,
            strangers: self.strangers + u64::from(session.key != key),
        }
    }
}

/// What a touch, a begin and an end change.
const TOUCHED: Changes = Changes { sessions: 0, touches: 1 };
const BEGUN: Changes = Changes { sessions: 1, touches: 0 };

fn ended(session: &KnownSession) -> Changes {
    Changes { sessions: -1, touches: -session.touches }
}

/// A plain map.
pub struct PlainDirectory {
    sessions: HashMap<u64, KnownSession>,
    at_first: i64,
    counted: Vec<Changes>,
    strangers: Strangers,
}

impl PlainDirectory {
    pub(super) fn new(keys: u64, senders: usize) -> Self {
        let sessions: HashMap<u64, KnownSession> = at_first(keys).collect();
        Self {
            at_first: sessions.len() as i64,
            sessions,
            counted: vec![Changes::default(); senders],
            strangers: Strangers::default(),
        }
    }
}

impl Plain<DirectoryRequest, DirectoryFound> for PlainDirectory {
    #[inline]
    fn apply(&mut self, request: DirectoryRequest) {
        if request.what == RequestKind::Lookup {
            return self.look(request);
        }
        request.work.compute(request.key);
        let changes = match (request.what, self.sessions.entry(request.key)) {
            (RequestKind::Touch, Entry::Occupied(mut session)) => {
                *session.get_mut() = session.get().touched();
                TOUCHED
            }
            (RequestKind::Begin, Entry::Vacant(place)) => {
                place.insert(KnownSession::new(request.key));
                BEGUN
            }
            (RequestKind::End, Entry::Occupied(session)) => ended(&session.remove()),
            _ => return,
        };
        let counted = &mut self.counted[request.sender];
        *counted = *counted + changes;
    }

    fn look(&self, request: DirectoryRequest) {
        self.strangers.compare(request, self.sessions.get(&request.key));
    }

    fn outcome(&self) -> DirectoryFound {
        let counted = self.counted.iter().fold(Changes::default(), |sum, more| sum + *more);
        let seen =
            self.sessions.iter().fold(SessionsSeen::default(), |seen, (key, s)| seen.and(*key, s));
        self.strangers.found(counted, self.at_first, seen)
    }
}

/// A transactional map.
pub struct Directory {
    sessions: TMap<u64, KnownSession>,
    at_first: i64,
    /// Of each sender: its messages are in order, so that no two of them meet here.
    counted: Vec<TVar<Changes>>,
    strangers: Strangers,
}

impl Directory {
    pub(super) fn new(keys: u64, senders: usize) -> Self {
        Self {
            sessions: at_first(keys).collect(),
            at_first: at_first(keys).count() as i64,
            counted: (0..senders).map(|_| TVar::new(Changes::default())).collect(),
            strangers: Strangers::default(),
        }
    }

    /// What has changed; `None` if the request does not fit the session's state.
    fn change<'t>(
        &'t self,
        request: DirectoryRequest,
        tx: &mut Tx<'t>,
    ) -> TxResult<Option<Changes>> {
        let key = request.key;
        Ok(match request.what {
            RequestKind::Touch => {
                let touched = self.sessions.update(tx, &key, |session| session.touched())?;
                touched.then_some(TOUCHED)
            }
            RequestKind::Begin => {
                let is_there = self.sessions.contains(tx, &key)?;
                if !is_there {
                    self.sessions.put(tx, key, KnownSession::new(key))?;
                }
                (!is_there).then_some(BEGUN)
            }
            RequestKind::End => self.sessions.remove(tx, &key)?.map(ended),
            RequestKind::Lookup => None,
        })
    }
}

impl Speculative<DirectoryRequest, DirectoryFound> for Directory {
    #[inline]
    fn apply<'t>(&'t self, request: DirectoryRequest, tx: &mut Tx<'t>) -> TxResult {
        if request.what == RequestKind::Lookup {
            self.strangers.compare(request, self.sessions.get(tx, &request.key)?);
            return Ok(());
        }
        request.work.compute(request.key);
        if let Some(changes) = self.change(request, tx)? {
            self.counted[request.sender].update(tx, |counted| *counted + changes)?;
        }
        Ok(())
    }

    fn outcome<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<DirectoryFound> {
        let mut counted = Changes::default();
        for of_sender in &self.counted {
            counted = counted + of_sender.get(tx)?;
        }
        let seen = self
            .sessions
            .fold(tx, SessionsSeen::default(), |seen, key, session| seen.and(*key, session))?;
        Ok(self.strangers.found(counted, self.at_first, seen))
    }
}
