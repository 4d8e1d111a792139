//! The ways to do a piece of logistic regression. A program chooses one in one line, by the worker
//! that it makes.

mod balanced;
mod cpu;
mod kernel;

pub use balanced::balanced;
pub use cpu::OnCores;
pub use kernel::ByKernels;
