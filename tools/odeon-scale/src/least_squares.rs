//! Linear least squares with weights, by the normal equations: few unknowns, well apart.

/// The `K` factors by which the columns of `rows` come closest to the values; each row is columns,
/// value, weight. `None` if the rows do not say.
pub(crate) fn solve<const K: usize>(rows: &[([f64; K], f64, f64)]) -> Option<[f64; K]> {
    let mut matrix = [[0.0; K]; K];
    let mut right = [0.0; K];
    for (columns, value, weight) in rows {
        for i in 0..K {
            right[i] += weight * columns[i] * value;
            for j in 0..K {
                matrix[i][j] += weight * columns[i] * columns[j];
            }
        }
    }
    eliminate(matrix, right)
}

/// Gauss, with the largest pivot of each column.
fn eliminate<const K: usize>(mut matrix: [[f64; K]; K], mut right: [f64; K]) -> Option<[f64; K]> {
    /// A pivot below this part of its matrix's largest entry is none.
    const NOTHING: f64 = 1e-12;
    let largest = matrix.iter().flatten().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for column in 0..K {
        let by_size =
            |a: &usize, b: &usize| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs());
        let pivot = (column..K).max_by(by_size)?;
        if matrix[pivot][column].abs() <= NOTHING * largest {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..K {
            let factor = matrix[row][column] / matrix[column][column];
            let above = matrix[column];
            for (entry, above) in matrix[row].iter_mut().zip(above).skip(column) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; K];
    for row in (0..K).rev() {
        let known: f64 = (row + 1..K).map(|k| matrix[row][k] * solution[k]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn factors_are_found_and_what_does_not_say_is_refused() {
        let rows: Vec<([f64; 3], f64, f64)> = (0..5)
            .map(|i| {
                let x = f64::from(i);
                ([1.0, x, x * x], 3.0 - 2.0 * x + 0.5 * x * x, 1.0 + x)
            })
            .collect();
        let [a, b, c] = solve(&rows).expect("five points for three");
        assert!((a - 3.0).abs() < 1e-9 && (b + 2.0).abs() < 1e-9 && (c - 0.5).abs() < 1e-9);
        assert_eq!(solve(&rows[..2]), None);
        assert_eq!(solve::<1>(&[]), None);
        // The heavier of two that contradict each other counts more.
        let [mean] = solve(&[([1.0], 0.0, 3.0), ([1.0], 4.0, 1.0)]).expect("one unknown");
        assert!((mean - 1.0).abs() < 1e-12);
    }
}
