//! A hierarchical timing wheel (Varghese and Lauck, SOSP 1987, scheme 7) with its timers in
//! numbered places: arming, cancelling by key and firing take constant time, however many timers
//! are pending.
//!
//! Time is counted in ticks. Level 0 has a slot for each of the next 64 ticks, level 1 one for each
//! of the next 64 times 64 ticks, and so on: a timer goes to the level of the highest digit
//! (base 64) in which its tick differs from the present one. When the time enters a slot above
//! level 0 its timers *cascade*: each is placed anew, on a lower level.
//!
//! RULES
//! 1. Each slot is a circular list through a sentinel; links lie apart from the timers, so that
//!    unlinking touches three places in 8 bytes a timer.
//! 2. `elapsed` never passes the slot of a pending timer; so all slots of a level in use lie ahead
//!    of the present digit, except one that is being emptied (`cascading`), which lies at it.
//! 3. While a slot cascades, new timers for its span go behind those still in it. So timers of one
//!    tick fire in the order in which they were armed.

/// Bits of a digit.
const DIGIT: u32 = 6;

/// Slots of a level.
const SLOTS: usize = 1 << DIGIT;

/// Levels: 64^8 ticks are 8,900 years of milliseconds.
const LEVELS: usize = 8;

/// The first links are the slots' sentinels.
const SENTINELS: usize = LEVELS * SLOTS;

/// The last tick; whatever is later comes then.
const LAST_TICK: u64 = (1 << (DIGIT * LEVELS as u32)) - 1;

/// The end of the list of free places.
const NONE: u32 = u32::MAX;

/// TUNE: places that an empty wheel keeps; if it has more, all go back to the system with the last
/// timer.
const KEPT: usize = 1024;

/// Names a timer of one wheel. Never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimerKey {
    place: u32,
    serial: u64,
}

/// Pending timers, each with a value.
pub(super) struct Wheel<T> {
    /// The present tick, or a bit behind it.
    elapsed: u64,
    /// The level whose present slot is being emptied into lower ones; it is not empty yet.
    cascading: Option<usize>,
    /// Which slots of each level are not empty.
    occupied: [u64; LEVELS],
    /// Sentinels, then one pair for each place of `places`.
    links: Vec<SlotLinks>,
    places: Vec<TimerSlot<T>>,
    /// The first free place; the next one is its `next` link.
    free: u32,
    len: usize,
    serial: u64,
}

#[derive(Clone, Copy)]
struct SlotLinks {
    before: u32,
    next: u32,
}

struct TimerSlot<T> {
    tick: u64,
    /// 0 if the place is free.
    serial: u64,
    value: Option<T>,
}

impl TimerKey {
    /// The key of a timer that is not pending.
    pub(super) const SPENT: Self = Self { place: u32::MAX, serial: u64::MAX };
}

impl<T> Wheel<T> {
    pub(super) fn new() -> Self {
        Self {
            elapsed: 0,
            cascading: None,
            occupied: [0; LEVELS],
            links: (0..SENTINELS as u32).map(|own| SlotLinks { before: own, next: own }).collect(),
            places: Vec::new(),
            free: NONE,
            len: 0,
            serial: 0,
        }
    }

    /// How many timers are pending.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A new timer. One whose tick has passed is due at once.
    pub(super) fn insert(&mut self, tick: u64, value: T) -> TimerKey {
        let tick = tick.clamp(self.elapsed, LAST_TICK);
        self.serial += 1;
        let serial = self.serial;
        let entry = TimerSlot { tick, serial, value: Some(value) };
        let place = self.free;
        let place = if place == NONE {
            let fresh = u32::try_from(self.places.len() + SENTINELS).expect("below 2^32 timers");
            self.places.push(entry);
            self.links.push(SlotLinks { before: fresh, next: fresh });
            fresh - SENTINELS as u32
        } else {
            self.free = self.links[place as usize + SENTINELS].next;
            self.places[place as usize] = entry;
            place
        };
        self.len += 1;
        let level = level_of(tick, self.elapsed);
        match self.cascading {
            // Rule 3.
            Some(above) if level < above => self.append(place, above, digit(self.elapsed, above)),
            _ => self.append(place, level, digit(tick, level)),
        }
        TimerKey { place, serial }
    }

    /// Takes a timer out, unless it has been taken before.
    pub(super) fn remove(&mut self, key: TimerKey) -> Option<T> {
        if self.places.get(key.place as usize)?.serial != key.serial {
            return None;
        }
        self.take(key.place)
    }

    /// Whether a timer is due.
    pub(super) fn has_due(&mut self, now: u64) -> bool {
        self.find_due(now, &mut u32::MAX.clone()).is_some()
    }

    /// Takes the next timer that is due, in order of ticks and, within one, of arming. `None` also
    /// if `steps` run out: each timer that is taken or cascades costs one.
    pub(super) fn take_due(&mut self, now: u64, steps: &mut u32) -> Option<T> {
        let place = self.find_due(now, steps)?;
        *steps = steps.checked_sub(1)?;
        self.take(place)
    }

    /// A tick before which nothing is due; `None` if nothing is pending.
    pub(super) fn next_look(&self) -> Option<u64> {
        if self.cascading.is_some() {
            return Some(self.elapsed);
        }
        self.first_slot().map(|(level, slot)| self.start_of(level, slot))
    }

    /// The tick of the earliest timer. Looks at all timers of its slot.
    pub(super) fn earliest(&mut self, now: u64) -> Option<u64> {
        if let Some(place) = self.find_due(now, &mut u32::MAX.clone()) {
            return Some(self.places[place as usize].tick);
        }
        let (level, slot) = self.first_slot()?;
        let sentinel = sentinel(level, slot);
        let next = |at: u32| Some(self.links[at as usize].next).filter(|next| *next != sentinel);
        std::iter::successors(next(sentinel), |at| next(*at))
            .map(|at| self.places[at as usize - SENTINELS].tick)
            .min()
    }

    /// All values, in no particular order.
    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.places.into_iter().filter_map(|place| place.value)
    }

    /// The place of the next due timer, after moving the time there or, if there is none, to `now`.
    fn find_due(&mut self, now: u64, steps: &mut u32) -> Option<u32> {
        let now = now.min(LAST_TICK);
        loop {
            if let Some(level) = self.cascading {
                let sentinel = sentinel(level, digit(self.elapsed, level));
                let first = self.links[sentinel as usize].next;
                *steps = steps.checked_sub(1)?;
                self.unlink(first);
                let place = first - SENTINELS as u32;
                let tick = self.places[place as usize].tick;
                let level = level_of(tick, self.elapsed);
                self.append(place, level, digit(tick, level));
                continue;
            }
            let slot = self.first_slot();
            let ahead = slot.map(|(level, slot)| (level, slot, self.start_of(level, slot)));
            let Some((level, slot, start)) = ahead.filter(|(_, _, start)| *start <= now) else {
                self.elapsed = self.elapsed.max(now);
                return None;
            };
            self.elapsed = start;
            if level == 0 {
                let first = self.links[sentinel(0, slot) as usize].next;
                return Some(first - SENTINELS as u32);
            }
            self.cascading = Some(level);
        }
    }

    /// The earliest slot that is not empty. Not while a slot cascades.
    fn first_slot(&self) -> Option<(usize, usize)> {
        let level = self.occupied.iter().position(|slots| *slots != 0)?;
        Some((level, self.occupied[level].trailing_zeros() as usize))
    }

    /// The first tick of a slot.
    fn start_of(&self, level: usize, slot: usize) -> u64 {
        let bits = DIGIT * level as u32;
        (self.elapsed >> bits >> DIGIT << DIGIT | slot as u64) << bits
    }

    /// Takes the value of an occupied place and frees the place.
    fn take(&mut self, place: u32) -> Option<T> {
        let link = place + SENTINELS as u32;
        self.unlink(link);
        let entry = &mut self.places[place as usize];
        entry.serial = 0;
        let value = entry.value.take();
        self.links[link as usize].next = self.free;
        self.free = place;
        self.len -= 1;
        if self.len == 0 && self.places.capacity() > KEPT {
            self.places = Vec::new();
            self.links.truncate(SENTINELS);
            self.links.shrink_to_fit();
            self.free = NONE;
        }
        value
    }

    /// Puts a place at the end of a slot.
    fn append(&mut self, place: u32, level: usize, slot: usize) {
        let (own, sentinel) = (place + SENTINELS as u32, sentinel(level, slot));
        let last = self.links[sentinel as usize].before;
        self.links[own as usize] = SlotLinks { before: last, next: sentinel };
        self.links[last as usize].next = own;
        self.links[sentinel as usize].before = own;
        self.occupied[level] |= 1 << slot;
    }

    /// Takes a link out of its slot.
    fn unlink(&mut self, link: u32) {
        let SlotLinks { before, next } = self.links[link as usize];
        self.links[before as usize].next = next;
        self.links[next as usize].before = before;
        if before == next {
            // It was alone with the sentinel.
            let (level, slot) = (before as usize / SLOTS, before as usize % SLOTS);
            self.occupied[level] &= !(1 << slot);
            if self.cascading == Some(level) && slot == digit(self.elapsed, level) {
                self.cascading = None;
            }
        }
    }
}

/// The level of a tick seen from another one: that of the highest digit in which they differ.
fn level_of(tick: u64, from: u64) -> usize {
    // The last digit counts as different: equal ticks are on level 0.
    (((tick ^ from) | (SLOTS as u64 - 1)).ilog2() / DIGIT) as usize
}

fn digit(tick: u64, level: usize) -> usize {
    (tick >> (DIGIT * level as u32)) as usize % SLOTS
}

fn sentinel(level: usize, slot: usize) -> u32 {
    (level * SLOTS + slot) as u32
}

#[cfg(test)]
mod tests;
