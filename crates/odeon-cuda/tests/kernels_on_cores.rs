//! A kernel in CUDA C, compiled as C++ and run by threads of cores.

use odeon_testkit::{CudaOnCores, for_seeds};

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
fn gradients_and_losses_are_those_of_the_reference() {
    const NAME: &str = "gradients_and_losses_are_those_of_the_reference";
    let source = include_str!("../kernels/logistic.cu");
    let main = include_str!("kernels_on_cores/logistic.cpp");
    let compiled = CudaOnCores::compiled(NAME, source, main, &["-DMOST_DIMS=8192"]);
    let Some(kernel) = compiled else { return };
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
