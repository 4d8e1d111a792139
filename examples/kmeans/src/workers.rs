//! The ways to do a piece of k-means. A program chooses one in one line, by the worker that it
//! makes.

mod balanced;
mod cpu;
mod direct;
mod kernel;
mod middleware;

pub use balanced::balanced;
pub use cpu::OnCores;
pub use direct::ByCuda;
pub use kernel::ByKernels;
