//! The ways to do a piece of logistic regression. A program chooses one in one line, by the worker that it makes.

mod cpu;

pub use cpu::OnCores;
