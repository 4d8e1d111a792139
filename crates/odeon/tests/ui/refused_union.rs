//! The macro cannot know which field of a union a message has.

use odeon::Message;

#[derive(Message)]
union Job {
    number: u32,
    real: f32,
}

fn main() {}
