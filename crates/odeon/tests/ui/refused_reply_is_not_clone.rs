//! A question is answered once.

fn copied<T: Clone>() {}

fn main() {
    copied::<odeon::Reply<u32>>();
}
