//! The gradient of some points on a core. The products of a point are added up in 16 sums side by
//! side, which the compiler makes vectors of.

use super::Partial;

const LANES: usize = 16;

/// Adds gradient and loss of `points`, which stand one behind the other.
pub fn gradient(points: &[f32], labels: &[f32], weights: &[f32], partial: &mut Partial) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2: the line above has asked it.
        #[allow(unsafe_code)]
        unsafe {
            return with_avx2(points, labels, weights, partial);
        }
    }
    on_any(points, labels, weights, partial);
}

/// The same function, compiled for processors with AVX2; the operations on each value and their
/// order are the same.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn with_avx2(points: &[f32], labels: &[f32], weights: &[f32], partial: &mut Partial) {
    on_any(points, labels, weights, partial);
}

#[inline(always)]
fn on_any(points: &[f32], labels: &[f32], weights: &[f32], partial: &mut Partial) {
    let (alone, weights) = weights.split_last().expect("one weight belongs to no dimension");
    let (last, slopes) = partial.gradient.split_last_mut().expect("as many as weights");
    for (point, label) in points.chunks_exact(weights.len()).zip(labels) {
        let score = alone + dot(point, weights);
        let error = f64::from(1.0 / (1.0 + (-score).exp()) - label);
        slopes.iter_mut().zip(point).for_each(|(slope, value)| *slope += error * f64::from(*value));
        *last += error;
        // WHY not the logarithm of a probability: that of one that is almost 0 has no digits left.
        let against = if *label > 0.5 { -score } else { score };
        partial.loss += f64::from(against.max(0.0) + (-against.abs()).exp().ln_1p());
    }
}

#[inline(always)]
fn dot(point: &[f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (values, weights) = (point.chunks_exact(LANES), weights.chunks_exact(LANES));
    let rest = values.remainder().iter().zip(weights.remainder());
    let rest: f32 = rest.map(|(value, weight)| value * weight).sum();
    for (values, weights) in values.zip(weights) {
        for ((sum, value), weight) in sums.iter_mut().zip(values).zip(weights) {
            *sum += value * weight;
        }
    }
    sums.iter().sum::<f32>() + rest
}
