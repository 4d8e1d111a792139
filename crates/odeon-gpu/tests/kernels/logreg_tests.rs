//! Logistic regression: the gradient against the same in doubles, and a descent that finds the weights that the labels were made with.

use crate::logreg::Rows;
use crate::support::{Numbers, on_each_device};

fn reference(rows: &[f32], labels: &[f32], weights: &[f32]) -> (Vec<f64>, f64) {
    let columns = weights.len();
    let (mut gradient, mut loss) = (vec![0.0; columns], 0.0);
    for (row, &label) in rows.chunks(columns).zip(labels) {
        let terms = row.iter().zip(weights).map(|(x, w)| f64::from(*x) * f64::from(*w));
        let (z, label) = (terms.sum::<f64>(), f64::from(label));
        let probability = 1.0 / (1.0 + (-z).exp());
        loss += z.max(0.0) - z * label + (-z.abs()).exp().ln_1p();
        for (sum, x) in gradient.iter_mut().zip(row) {
            *sum += (probability - label) * f64::from(*x);
        }
    }
    (gradient, loss)
}

#[test]
fn the_gradient_is_that_of_the_same_in_doubles() {
    on_each_device("the gradient of logistic regression", |mut gpu, device| {
        for (count, columns) in [(3000, 10), (100, 1), (512, 33)] {
            let mut numbers = Numbers(count as u64);
            let rows: Vec<f32> = (0..count * columns).map(|_| numbers.unit() * 4.0 - 2.0).collect();
            let labels: Vec<f32> = (0..count).map(|_| numbers.below(2) as f32).collect();
            let weights: Vec<f32> = (0..columns).map(|_| numbers.unit() * 20.0 - 10.0).collect();
            let mut there = Rows::new(&mut gpu, &rows, &labels, columns).expect("room");
            let (gradient, loss) = there.gradient(&mut gpu, &weights).expect("a gradient");
            let (should, should_lose) = reference(&rows, &labels, &weights);
            // The terms have magnitudes of up to 2 and cancel each other: the tolerance is for their number.
            let tolerance = 1e-5 * count as f64;
            for (is, should) in gradient.iter().zip(&should) {
                assert!((f64::from(*is) - should).abs() <= tolerance, "{device}: {is} {should}");
            }
            assert!(
                (f64::from(loss) - should_lose).abs() <= 1e-4 * should_lose,
                "{loss} {should_lose}"
            );
            let again = there.gradient(&mut gpu, &weights).expect("once more");
            assert_eq!(again, (gradient, loss), "the same to the last bit");
        }
    });
}

#[test]
fn a_row_far_from_the_boundary_overflows_nothing() {
    on_each_device("the gradient of certain rows", |mut gpu, _| {
        let (rows, labels) = ([1000.0, -1000.0, 1000.0], [1.0, 0.0, 0.0]);
        let mut there = Rows::new(&mut gpu, &rows, &labels, 1).expect("room");
        let (gradient, loss) = there.gradient(&mut gpu, &[1.0]).expect("a gradient");
        // Two rows are certain and right; one is certain and wrong.
        assert!(
            (gradient[0] - 1000.0).abs() < 0.1 && (loss - 1000.0).abs() < 0.1,
            "{gradient:?} {loss}"
        );
    });
}

#[test]
fn a_descent_finds_the_weights_that_labels_were_made_with() {
    on_each_device("a descent of logistic regression", |mut gpu, _| {
        let mut numbers = Numbers(11);
        let made_with = [2.0f32, -3.0, 0.5];
        let rows: Vec<f32> = (0..3 * 4000).map(|_| numbers.unit() * 4.0 - 2.0).collect();
        let labels: Vec<f32> = rows
            .chunks(3)
            .map(|row| {
                let z: f32 = row.iter().zip(&made_with).map(|(x, w)| x * w).sum();
                f32::from(numbers.unit() < 1.0 / (1.0 + (-z).exp()))
            })
            .collect();
        let mut there = Rows::new(&mut gpu, &rows, &labels, 3).expect("room");
        let mut weights = vec![0.0f32; 3];
        let mut last = f32::MAX;
        for _ in 0..100 {
            let (gradient, loss) = there.gradient(&mut gpu, &weights).expect("a gradient");
            assert!(loss <= last * 1.0001, "{loss} after {last}");
            last = loss;
            for (weight, slope) in weights.iter_mut().zip(&gradient) {
                *weight -= 0.002 * slope;
            }
        }
        for (found, made_with) in weights.iter().zip(&made_with) {
            assert!((found - made_with).abs() < 0.4, "{weights:?}");
        }
    });
}
