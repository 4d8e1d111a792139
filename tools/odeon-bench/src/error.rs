//! Why a measurement could not be made: the reasons of a run.

pub use odeon_example_run::RunError as BenchError;
