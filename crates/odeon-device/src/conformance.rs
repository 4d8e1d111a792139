//! What every back end of [`Device`], and every [`Worker`], promises: suites that each of them
//! instantiates in one line, see [`device_conformance!`](crate::device_conformance) and
//! [`worker_conformance!`](crate::worker_conformance).
//!
//! | tests of | file |
//! |---|---|
//! | what comes back is what was written; ranges | `conformance/transfers.rs` |
//! | the account, its limit, what is freed | `conformance/account.rs` |
//! | the order of launches | `conformance/launches.rs` |
//! | several sessions, threads, ends while work is under way | `conformance/sessions.rs` |
//! | a worker's results | `conformance/workers.rs` |
//!
//! A device that is not there is skipped, visibly: each test prints one line that begins with
//! `skipped`.

pub mod account;
pub mod launches;
pub mod sessions;
pub mod transfers;
pub mod workers;

use std::io::Write;

use crate::device::Device;
use crate::error::DeviceError;
use crate::worker::Worker;

/// A back end of [`Device`] under test.
pub trait DeviceUnderTest: 'static {
    /// Its sessions.
    type Device: Device;

    /// A session that may have `limit` bytes in use.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is no such device here: the tests are skipped. Any
    /// other error fails them.
    fn open(limit: u64) -> Result<Self::Device, DeviceError>;

    /// Launches a kernel, and does not wait for it, that makes `word * times + plus` (wrapping) of
    /// each of the first `words` 32-bit words of a buffer.
    ///
    /// # Errors
    /// What launches of this back end say.
    fn launch(
        device: &mut Self::Device,
        buffer: &mut <Self::Device as Device>::Buffer,
        words: usize,
        times: u32,
        plus: u32,
    ) -> Result<(), DeviceError>;
}

/// A [`Worker`] under test.
pub trait WorkerUnderTest: 'static {
    /// The worker.
    type Worker: Worker;

    /// A worker.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if what it works with is not here: the tests are skipped. Any
    /// other error fails them.
    fn open() -> Result<Self::Worker, DeviceError>;

    /// A piece of work: always the same for the same number, and without a result.
    fn piece(number: u64) -> <Self::Worker as Worker>::Work;

    /// Compares the result of a piece with the reference, within the tolerance that this worker
    /// states.
    ///
    /// # Errors
    /// A sentence that says what differs.
    fn check(number: u64, piece: &<Self::Worker as Worker>::Work) -> Result<(), String>;
}

/// Calls `test` with what `open` finds, unless that is not here.
#[track_caller]
fn unless_unavailable<T>(open: Result<T, DeviceError>, test: impl FnOnce(T)) {
    match open {
        Ok(opened) => test(opened),
        Err(error @ DeviceError::Unavailable(_)) => {
            let at = std::panic::Location::caller();
            // Not by `eprintln`: of tests that pass the harness shows nothing.
            let mut errors = std::io::stderr();
            let _ = writeln!(errors, "skipped: {error} ({}:{})", at.file(), at.line());
        }
        Err(error) => panic!("it is there and cannot be opened: {error}"),
    }
}

/// Instantiates the suite for one [`DeviceUnderTest`](crate::conformance::DeviceUnderTest), as
/// `#[test]`s in a module of the given name.
#[macro_export]
macro_rules! device_conformance {
    ($name:ident, $device:ty) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::device_conformance!(@tests $device: transfers
                what_is_uploaded_comes_back
                what_is_written_replaces_the_beginning
                ranges_beyond_a_buffer_are_invalid
                buffers_do_not_overlap
            );
            $crate::device_conformance!(@tests $device: account
                the_account_is_exact
                one_byte_too_many_is_an_error
                what_is_dropped_can_be_had_again
                memory_is_freed_over_and_over
            );
            $crate::device_conformance!(@tests $device: launches
                launches_happen_in_their_order
                launches_on_several_buffers_do_not_mix
                writes_and_downloads_keep_their_place_among_launches
                a_launch_leaves_what_it_does_not_name
            );
            $crate::device_conformance!(@tests $device: sessions
                sessions_have_accounts_of_their_own
                sessions_of_several_threads_do_not_disturb_each_other
                a_session_goes_from_thread_to_thread
                buffers_are_dropped_while_work_is_under_way
                a_session_is_dropped_while_work_is_under_way
                synchronizing_is_always_possible
            );
        }
    };
    (@tests $device:ty: $file:ident $($test:ident)*) => {
        $(#[test] fn $test() { $crate::conformance::$file::$test::<$device>(); })*
    };
}

/// Instantiates the suite for one [`WorkerUnderTest`](crate::conformance::WorkerUnderTest), as
/// `#[test]`s in a module of the given name.
#[macro_export]
macro_rules! worker_conformance {
    ($name:ident, $worker:ty) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::worker_conformance!(@tests $worker:
                each_piece_alone_is_right
                batches_of_every_size_are_right
                a_result_does_not_depend_on_what_was_done_before
                what_is_done_again_is_the_same
                what_was_half_done_is_done_again
                what_failed_is_done_again
                a_worker_goes_to_another_thread
            );
        }
    };
    (@tests $worker:ty: $($test:ident)*) => {
        $(#[test] fn $test() { $crate::conformance::workers::$test::<$worker>(); })*
    };
}
