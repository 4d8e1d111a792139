//! A question is answered once.

fn answer(reply: odeon::Reply<u32>) {
    reply.send(1);
    reply.send(2);
}

fn main() {
    let _ = answer;
}
