//! Names and groups under random schedules: spawning, naming, joining and ending against each
//! other. What is left behind or spawned twice fails; a caller that is not woken is a deadlock,
//! which shuttle reports with the schedule that led to it. Run by `ci/shuttle.sh`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex, thread};

/// Has a model thread wait until so many have passed.
#[derive(Default)]
struct Gate {
    passed: Mutex<usize>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        *self.passed.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    fn wait_for(&self, count: usize) {
        let mut passed = self.passed.lock().unwrap();
        while *passed < count {
            passed = self.changed.wait(passed).unwrap();
        }
    }
}

/// Passes the gate with each message and with its end.
struct Passer(Arc<Gate>);

impl Actor for Passer {
    type Msg = u32;
    fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {
        self.0.pass();
    }
    fn stopped(&mut self) {
        self.0.pass();
    }
}

fn theater() -> Arc<Theater> {
    Arc::new(Theater::builder().workers(1).build().unwrap())
}

/// Has the watchers of an actor told before going on.
fn end(actor: &ActorRef<u32>) {
    let gate = Arc::new(Gate::default());
    let told = gate.clone();
    actor.on_end(move |_| told.pass());
    actor.stop();
    gate.wait_for(1);
}

#[test]
fn racing_callers_spawn_one_actor() {
    check(2_000, || {
        let (theater, gate) = (theater(), Arc::new(Gate::default()));
        let made = Arc::new(AtomicUsize::new(0));
        let find = {
            let (theater, gate, made) = (theater.clone(), gate.clone(), made.clone());
            move || {
                let (gate, made) = (gate.clone(), made.clone());
                let make = move || {
                    made.fetch_add(1, Ordering::SeqCst);
                    Passer(gate)
                };
                let actor = theater.actor().lookup_or_spawn("one", make).unwrap();
                actor.send(1).unwrap();
                actor
            }
        };
        let other = thread::spawn(find.clone());
        let (here, there) = (find(), other.join().unwrap());
        gate.wait_for(2);
        assert_eq!((here, made.load(Ordering::SeqCst)), (there, 1));
    });
}

#[test]
fn naming_against_ending() {
    check(2_000, || {
        let (theater, gate) = (theater(), Arc::new(Gate::default()));
        let actor = theater.spawn(Passer(gate.clone()));
        let namer = {
            let (theater, actor) = (theater.clone(), actor.clone());
            thread::spawn(move || theater.register("one", &actor).is_ok())
        };
        let other = theater.spawn(Passer(gate.clone()));
        actor.stop();
        let registered = theater.register("one", &other).is_ok();
        assert!(namer.join().unwrap() || registered, "nobody got the free name");
        end(&actor);
        if !registered {
            assert!(theater.lookup::<u32>("one").is_err());
            theater.register("one", &other).unwrap();
        }
        assert_eq!(theater.lookup("one"), Ok(other.clone()));
        theater.unregister("one");
        drop((actor, other));
        gate.wait_for(2);
    });
}

#[test]
fn publishing_against_joining_and_ending() {
    check(2_000, || {
        let (theater, gate) = (theater(), Arc::new(Gate::default()));
        let group = theater.group::<u32>("all").unwrap();
        let (steady, passing) =
            (theater.spawn(Passer(gate.clone())), theater.spawn(Passer(gate.clone())));
        assert!(group.join(&steady));
        let joiner = {
            let (group, passing) = (group.clone(), passing.clone());
            thread::spawn(move || {
                group.join(&passing);
                passing.stop();
            })
        };
        let delivered = group.publish(1);
        assert!((1..=2).contains(&delivered));
        joiner.join().unwrap();
        end(&passing);
        assert_eq!(group.members(), [steady.clone()]);
        assert_eq!(group.publish(2), 1);
        drop(group);
        // The last member takes the group with it.
        end(&steady);
        drop((steady, passing));
        let unnamed = loop {
            match theater.group::<u8>("all") {
                Ok(group) => break group,
                // The group's own watch is told by the same thread.
                Err(_) => thread::yield_now(),
            }
        };
        assert!(unnamed.is_empty());
    });
}
