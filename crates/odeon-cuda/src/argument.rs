//! What a function of a kernel is given.

use odeon_device::DeviceError;

use crate::buffer::CudaBuffer;

/// What a function takes, in CUDA C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// `const T*` and behind it `unsigned long long`: memory that it reads, and how many bytes that
    /// is.
    Read,
    /// `T*` and behind it `unsigned long long`: memory that it reads and writes, and how many bytes
    /// that is.
    Write,
    /// `int`
    I32,
    /// `unsigned`
    U32,
    /// `unsigned long long`
    U64,
    /// `float`
    F32,
    /// `double`
    F64,
}

/// What it is given, for the [`Parameter`] of the same name.
#[derive(Debug)]
#[allow(missing_docs, reason = "Parameter says it")]
pub enum Argument<'a> {
    Read(&'a CudaBuffer),
    Write(&'a mut CudaBuffer),
    I32(i32),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

/// How many threads a launch has: blocks of threads that share memory, in one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Memory that a block has beside what its function declares.
    pub shared_bytes: u32,
}

impl Grid {
    /// At least this many threads, in blocks of `threads`. The thesis (6.5.2) has 128, "to support
    /// multiple architectures".
    pub fn of(all: u32, threads: u32) -> Self {
        let blocks = all.div_ceil(threads.max(1)).max(1);
        Self { blocks, threads, shared_bytes: 0 }
    }

    /// CUDA's limits, of all devices.
    pub(crate) fn check(self) -> Result<(), DeviceError> {
        let Self { blocks, threads, .. } = self;
        if (1..=MOST_THREADS).contains(&threads) && (1..=MOST_BLOCKS).contains(&blocks) {
            return Ok(());
        }
        let limits = format!("1 to {MOST_BLOCKS} blocks of 1 to {MOST_THREADS} threads");
        Err(DeviceError::Invalid(format!("a launch has {limits}, not {blocks} of {threads}")))
    }
}

const MOST_THREADS: u32 = 1024;
const MOST_BLOCKS: u32 = i32::MAX as u32;

impl Argument<'_> {
    pub(crate) fn parameter(&self) -> Parameter {
        match self {
            Self::Read(_) => Parameter::Read,
            Self::Write(_) => Parameter::Write,
            Self::I32(_) => Parameter::I32,
            Self::U32(_) => Parameter::U32,
            Self::U64(_) => Parameter::U64,
            Self::F32(_) => Parameter::F32,
            Self::F64(_) => Parameter::F64,
        }
    }
}

/// Whether a function with these parameters can be given those.
pub(crate) fn check(
    name: &str,
    parameters: &[Parameter],
    given: impl ExactSizeIterator<Item = Parameter>,
) -> Result<(), DeviceError> {
    if parameters.len() != given.len() {
        let (takes, given) = (parameters.len(), given.len());
        let why = format!("`{name}` takes {takes} arguments and is given {given}");
        return Err(DeviceError::Invalid(why));
    }
    for (number, (&parameter, given)) in parameters.iter().zip(given).enumerate() {
        if parameter != given {
            let why = format!("argument {number} of `{name}` is {parameter:?}, not {given:?}");
            return Err(DeviceError::Invalid(why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(given: &[Parameter]) -> Result<(), String> {
        let parameters = [Parameter::Read, Parameter::F32];
        check("f", &parameters, given.iter().copied()).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_those_of_the_function() {
        assert_eq!(checked(&[Parameter::Read, Parameter::F32]), Ok(()));
        let fewer = "invalid: `f` takes 2 arguments and is given 1".to_owned();
        assert_eq!(checked(&[Parameter::Read]), Err(fewer));
        let other = "invalid: argument 1 of `f` is F32, not U32".to_owned();
        assert_eq!(checked(&[Parameter::Read, Parameter::U32]), Err(other));
        assert_eq!(Argument::U32(1).parameter(), Parameter::U32);
    }

    #[test]
    fn grids_have_the_limits_of_cuda() {
        let blocks = |all| Grid::of(all, 128).blocks;
        assert_eq!([0, 1, 128, 129, 65_536].map(blocks), [1, 1, 1, 2, 512]);
        assert!(Grid::of(5, 1024).check().is_ok());
        for (blocks, threads) in [(0, 1), (1, 0), (1, 1025), (u32::MAX, 1)] {
            assert!(Grid { blocks, threads, shared_bytes: 0 }.check().is_err());
        }
    }
}
