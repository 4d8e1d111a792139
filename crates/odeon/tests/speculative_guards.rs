//! `#[guards]` on an `impl SpeculativeActor`.
#![cfg(feature = "speculative")]

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy, PartialEq, Debug)]
enum Port {
    Set,
    Even,
    EvenAndLarge,
    Small,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Request {
    #[mailbox(Set)]
    Set(u64),
    #[mailbox(Even)]
    Ask(Reply<(u64, usize)>),
}

/// Holds a number.
struct Number<T>(TVar<u64>, std::marker::PhantomData<fn(T)>);

#[guards]
impl<T: 'static> SpeculativeActor for Number<T> {
    type Msg = Request;

    #[guard(Port::Even, Port::EvenAndLarge)]
    fn is_even<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(self.0.get(tx)? % 2 == 0)
    }

    #[guard(Port::EvenAndLarge)]
    fn is_large<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(!self.is_small(tx)?)
    }

    #[guard(Port::Small)]
    fn is_small<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(self.0.get(tx)? < 10)
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Request,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Request::Set(number) => self.0.set(tx, *number)?,
            Request::Ask(reply) => {
                let mailbox = ctx.mailbox();
                ctx.reply(reply, (self.0.get(tx)?, mailbox));
            }
        }
        Ok(())
    }
}

/// What each mailbox's question sees is the first number in this order that all of its guards let
/// it in for.
#[test]
fn all_guards_of_a_mailbox_have_to_agree() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let number: Number<()> = Number(TVar::new(11), std::marker::PhantomData);
    let number = theater.spawn_speculative(number, Processing::default());
    let ports = [Port::Even, Port::EvenAndLarge, Port::Small];
    let [even, both, small] = ports.map(|port| number.mailbox(port).ask(Request::Ask));
    number.send(Request::Set(3)).unwrap();
    assert_eq!(small.wait(), Ok((3, Port::Small as usize)));
    number.send(Request::Set(4)).unwrap();
    assert_eq!(even.wait(), Ok((4, Port::Even as usize)));
    number.send(Request::Set(12)).unwrap();
    assert_eq!(both.wait(), Ok((12, Port::EvenAndLarge as usize)));
}
