//! Whether NVIDIA's libraries are there.
#![allow(unsafe_code, reason = "loading a library runs its code")]

use cudarc::driver::sys;

/// Whether the driver's library can be loaded. Without it all else that cudarc has of the driver
/// panics.
pub(crate) fn has_driver() -> bool {
    // SAFETY: loads the library that the system names so, and runs its initialisers, as every
    // program with CUDA does; the system's administrator upholds that it is NVIDIA's.
    unsafe { sys::is_culib_present() }
}

/// Whether the compiler's library can be loaded.
pub(crate) fn has_compiler() -> bool {
    // SAFETY: as in `has_driver`.
    unsafe { cudarc::nvrtc::sys::is_culib_present() }
}
