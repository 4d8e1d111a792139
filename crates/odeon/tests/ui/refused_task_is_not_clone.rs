//! A task is the right to run an actor once.

fn copied<T: Clone>() {}

fn main() {
    copied::<odeon_core::extend::Task>();
}
