//! The kernels in CUDA C, compiled as C++ and run by threads of cores: what they compute, wherever there is a C++ compiler; nothing about speed, nor about a device.

use odeon_testkit::for_seeds;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Kernel {
    program: PathBuf,
}

impl Kernel {
    /// `None` where there is no compiler; that has been said.
    fn compiled(test: &str, name: &str, defines: &[&str]) -> Option<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = std::env::temp_dir().join(format!("odeon-{name}-{}", std::process::id()));
        let compiling = Command::new("c++")
            .args(["-std=c++20", "-O1", "-pthread", "-Wall", "-o"])
            .arg(&program)
            .arg("-I")
            .arg(here.join("kernels"))
            .args(defines)
            .arg(here.join("tests/kernels_on_cores").join(format!("{name}.cpp")))
            .output();
        let why = match compiling {
            Err(error) => format!("no C++ compiler: {error}"),
            Ok(output) if output.status.success() => return Some(Self { program }),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(!said.contains(".cu:"), "the kernel does not compile:\n{said}");
                format!("no C++20: {}", said.lines().next().unwrap_or_default())
            }
        };
        // Not by `eprintln`: of tests that pass the harness shows nothing.
        let mut errors = std::io::stderr();
        writeln!(errors, "skipped: {test}: {why}").unwrap();
        None
    }

    fn run(&self, input: &[u8]) -> Vec<u8> {
        let mut running = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        running.stdin.take().unwrap().write_all(input).unwrap();
        let output = running.wait_with_output().unwrap();
        assert!(output.status.success());
        output.stdout
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.program);
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(limit)) as u32
    }

    fn floats(&mut self, count: u32) -> Vec<f32> {
        (0..count).map(|_| self.below(2_000) as f32 / 1_000.0 - 1.0).collect()
    }
}

fn bytes<T: Copy, const N: usize>(values: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| to(value)).collect()
}

/// Takes so many values of four bytes from the beginning.
fn take<T>(from: &mut &[u8], count: u32, of: impl Fn([u8; 4]) -> T) -> Vec<T> {
    let (mine, rest) = from.split_at(count as usize * 4);
    *from = rest;
    mine.chunks_exact(4).map(|chunk| of(chunk.try_into().unwrap())).collect()
}

fn close(a: f32, b: f32, what: &str) {
    assert!((a - b).abs() <= 1e-3 * b.abs().max(1.0), "{what}: {a}, not {b}");
}

#[test]
fn kmeans_sums_counts_and_changes_are_those_of_the_reference() {
    const NAME: &str = "kmeans_sums_counts_and_changes_are_those_of_the_reference";
    let defines = ["-DMOST_SUMS=8192", "-DMOST_CENTRES=1024"];
    let Some(kernel) = Kernel::compiled(NAME, "kmeans", &defines) else { return };
    for_seeds(12, |seed| {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (rows, dims) = (1 + random.below(700), 1 + random.below(20));
        let (k, blocks) = (1 + random.below(12), 1 + random.below(4));
        let (points, centres) = (random.floats(rows * dims), random.floats(k * dims));
        let before: Vec<u32> = (0..rows).map(|_| random.below(k)).collect();
        let mut input = bytes(&[rows, dims, k, blocks, 0], u32::to_le_bytes);
        input.extend(bytes(&points, f32::to_le_bytes));
        input.extend(bytes(&centres, f32::to_le_bytes));
        input.extend(bytes(&before, u32::to_le_bytes));
        let output = kernel.run(&input);
        let mut output = &output[..];
        let map = take(&mut output, rows, u32::from_le_bytes);
        let sums = take(&mut output, blocks * k * dims, f32::from_le_bytes);
        let counts = take(&mut output, blocks * k, u32::from_le_bytes);
        let changed = take(&mut output, blocks, u32::from_le_bytes);

        let (mut all, mut each) = (vec![0.0; (k * dims) as usize], vec![0; k as usize]);
        for (row, point) in points.chunks(dims as usize).enumerate() {
            let distance = |centre: &[f32]| -> f32 {
                point.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
            };
            let mut distances: Vec<_> = centres.chunks(dims as usize).map(distance).collect();
            let mine = map[row] as usize;
            let least = distances.iter().copied().fold(f32::MAX, f32::min);
            // Another compiler may round differently where two are equally near.
            assert!(distances.swap_remove(mine) <= least + 1e-5, "row {row}");
            each[mine] += 1;
            all[mine * dims as usize..].iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
        }
        for (place, &expected) in all.iter().enumerate() {
            let sum: f32 = sums.iter().skip(place).step_by((k * dims) as usize).sum();
            close(sum, expected, "a sum");
        }
        for (centre, &count) in each.iter().enumerate() {
            assert_eq!(counts.iter().skip(centre).step_by(k as usize).sum::<u32>(), count);
        }
        let different = map.iter().zip(&before).filter(|(a, b)| a != b).count();
        assert_eq!(changed.iter().sum::<u32>() as usize, different);
    });

    // Memory that is too small is not touched.
    let mut input = bytes(&[4, 2, 1, 1, 4], u32::to_le_bytes);
    input.extend(bytes(&[1.0f32; 10], f32::to_le_bytes));
    input.extend(bytes(&[9u32; 4], u32::to_le_bytes));
    let output = kernel.run(&input);
    assert_eq!(take(&mut &output[..], 4, u32::from_le_bytes), [9; 4]);
}

#[test]
fn gradients_and_losses_are_those_of_the_reference() {
    const NAME: &str = "gradients_and_losses_are_those_of_the_reference";
    let Some(kernel) = Kernel::compiled(NAME, "logistic", &["-DMOST_DIMS=8192"]) else { return };
    for_seeds(12, |seed| {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (rows, dims, blocks) =
            (1 + random.below(700), 1 + random.below(20), 1 + random.below(4));
        let features = random.floats(rows * dims);
        let labels: Vec<f32> = (0..rows).map(|_| random.below(2) as f32).collect();
        // Some of them are so large that an exponential overflows.
        let scale = if seed % 3 == 0 { 500.0 } else { 1.0 };
        let weights: Vec<f32> = random.floats(dims).into_iter().map(|w| w * scale).collect();
        let mut input = bytes(&[rows, dims, blocks], u32::to_le_bytes);
        for floats in [&features, &labels, &weights] {
            input.extend(bytes(floats, f32::to_le_bytes));
        }
        let output = kernel.run(&input);
        let mut output = &output[..];
        let gradients = take(&mut output, blocks * dims, f32::from_le_bytes);
        let losses = take(&mut output, blocks, f32::from_le_bytes);

        let (mut gradient, mut loss) = (vec![0.0f64; dims as usize], 0.0f64);
        for (x, &label) in features.chunks(dims as usize).zip(&labels) {
            let z: f32 = x.iter().zip(&weights).map(|(x, w)| x * w).sum();
            let (z, label) = (f64::from(z), f64::from(label));
            loss += z.max(0.0) + (-z.abs()).exp().ln_1p() - label * z;
            let error = 1.0 / (1.0 + (-z).exp()) - label;
            gradient.iter_mut().zip(x).for_each(|(sum, &x)| *sum += error * f64::from(x));
        }
        close(losses.iter().sum(), loss as f32, "the loss");
        for (d, &expected) in gradient.iter().enumerate() {
            let sum: f32 = gradients.iter().skip(d).step_by(dims as usize).sum();
            close(sum, expected as f32, "the gradient");
        }
    });
}
