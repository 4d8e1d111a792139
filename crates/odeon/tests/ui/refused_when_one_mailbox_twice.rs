//! A join pattern takes one message of each of its mailboxes.

use odeon::patterns::Joins;
use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Left,
    Right,
}

#[derive(Message)]
#[mailboxes(Port)]
struct Half(u32);

struct Fitter(Joins<Half>);

impl Actor for Fitter {
    type Msg = Half;
    fn handle(&mut self, half: Half, ctx: &mut Context<'_, Self>) {
        when!(self.0.hold(half, ctx),
            (Half(left) from Port::Left, Half(right) from Port::Right) => println!("{left} {right}"),
            (Half(first) from Port::Left, Half(second) from Port::Left) => println!("{first} {second}"),
        );
    }
}

fn main() {}
