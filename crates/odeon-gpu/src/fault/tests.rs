//! Which error is made of which.

use cubecl::server::ServerError;
use odeon_device::DeviceError;

use super::{brief, of_panic, of_server};

fn generic(reason: &str) -> ServerError {
    let backtrace = cubecl_environment::backtrace::BackTrace::capture();
    ServerError::Generic { reason: reason.to_owned(), backtrace }
}

#[test]
fn panics_become_what_they_say() {
    let of = |text: &str| of_panic(Box::new(text.to_owned()), 7);
    assert_eq!(
        of("wgpu error: Out of Memory"),
        DeviceError::OutOfMemory { asked: 0, available: 7 }
    );
    assert!(matches!(
        of("wgpu error: Validation Error: in create_compute_pipeline"),
        DeviceError::Kernel(_)
    ));
    assert_eq!(of("gone"), DeviceError::Lost("gone".to_owned()));
    assert_eq!(of_panic(Box::new("gone"), 7), DeviceError::Lost("gone".to_owned()));
    assert!(matches!(of_panic(Box::new(3), 7), DeviceError::Lost(_)));
}

#[test]
fn the_first_of_several_counts_and_what_was_not_written_says_why() {
    let root = Box::new(generic("out of device memory"));
    let backtrace = cubecl_environment::backtrace::BackTrace::capture();
    let unwritten = ServerError::Unwritten {
        failure: 1,
        claimed: 1,
        chain: Vec::new(),
        root,
        backtrace: backtrace.clone(),
    };
    let several = ServerError::Several { errors: vec![unwritten, generic("else")], backtrace };
    assert_eq!(of_server(&several, 5), DeviceError::OutOfMemory { asked: 0, available: 5 });
}

#[test]
fn texts_are_one_line_without_traces_of_calls() {
    let told = brief("it failed\nCaused by:\n  the cause.\nAnd more\nBacktrace:\n 0: main\n");
    assert_eq!(told, "it failed: Caused by: the cause. And more");
    assert_eq!(brief("plain"), "plain");
}
