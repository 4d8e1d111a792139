//! Kernels in CUDA C on cores: what they compute, wherever there is a C++ compiler; nothing about
//! speed, nor about a device.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// As much of CUDA C as kernels of tests use.
const CUDA: &str = include_str!("cuda_on_cores/cuda.hpp");

/// A kernel that has been compiled as C++. It runs a thread for each thread of a block, one block
/// after the other.
///
/// # Examples
///
/// ```
/// use odeon_testkit::CudaOnCores;
///
/// let source = r#"
/// extern "C" __global__ void twice(float* x, unsigned n) {
///     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
///     if (i < n) x[i] *= 2;
/// }
/// "#;
/// // What the program does with its input, which is bytes.
/// let main = r#"
/// int main() {
///     auto x = in<float>(3);
///     launch(2, 2, [&] { twice(x.data(), 3); });
///     out(x);
/// }
/// "#;
/// if let Some(twice) = CudaOnCores::compiled("an example", source, main, &[]) {
///     let input: Vec<u8> = [1.0_f32, 2.5, -1.0].into_iter().flat_map(f32::to_le_bytes).collect();
///     let output: Vec<u8> = [2.0_f32, 5.0, -2.0].into_iter().flat_map(f32::to_le_bytes).collect();
///     assert_eq!(twice.run(&input), output);
/// }
/// ```
#[derive(Debug)]
pub struct CudaOnCores {
    folder: PathBuf,
}

impl CudaOnCores {
    /// Compiles `source` with `main`, which has `in`, `launch` and `out` of `cuda.hpp`, and with
    /// `options` such as `-DK=16`. `None` where there is no compiler of C++20; that has been said
    /// then, of `test`.
    ///
    /// # Panics
    /// If the kernel does not compile, with what the compiler says.
    pub fn compiled(test: &str, source: &str, main: &str, options: &[&str]) -> Option<Self> {
        static KERNELS: AtomicU32 = AtomicU32::new(0);
        // ORDERING: Relaxed, as only the numbers have to differ.
        let number = KERNELS.fetch_add(1, Ordering::Relaxed);
        let name = format!("odeon-cuda-on-cores-{}-{number}", std::process::id());
        let this = Self { folder: std::env::temp_dir().join(name) };
        std::fs::create_dir_all(&this.folder).expect("the temporary folder is writable");
        let main = format!("#include \"cuda.hpp\"\n#include \"kernel.cu\"\n{main}");
        for (file, text) in [("cuda.hpp", CUDA), ("kernel.cu", source), ("main.cpp", &main)] {
            std::fs::write(this.folder.join(file), text).expect("there is room");
        }
        let compiling = Command::new("c++")
            // Rounded after each operation, as Rust rounds.
            .args(["-std=c++20", "-O1", "-ffp-contract=off", "-pthread", "-Wall", "-o"])
            .arg(this.program())
            .args(options)
            .arg(this.folder.join("main.cpp"))
            .output();
        let why = match compiling {
            Err(error) => format!("no C++ compiler: {error}"),
            Ok(output) if output.status.success() => return Some(this),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(!said.contains(".cu:"), "the kernel does not compile:\n{said}");
                format!("no C++20: {}", said.lines().next().unwrap_or_default())
            }
        };
        // Not by `eprintln`: of tests that pass the harness shows nothing. An error means that
        // nobody reads it.
        let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
        None
    }

    /// Runs it with that input; answers its output.
    ///
    /// # Panics
    /// If it cannot be run, or fails.
    pub fn run(&self, input: &[u8]) -> Vec<u8> {
        let mut running = Command::new(self.program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it has been compiled");
        running.stdin.take().expect("asked for").write_all(input).expect("it reads all of it");
        let output = running.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", output.status);
        output.stdout
    }

    fn program(&self) -> PathBuf {
        self.folder.join("program")
    }
}

impl Drop for CudaOnCores {
    fn drop(&mut self) {
        // An error means that it is gone.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
