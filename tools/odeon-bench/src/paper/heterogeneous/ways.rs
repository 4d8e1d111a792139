//! Figure 6.7: lines of code of each way to write the worker, counted from its files.

use crate::lines::of_code;
use crate::plot::Bars;
use crate::table::TextTable;

/// A way, and the files that somebody has to write for it.
struct Way {
    name: &'static str,
    in_thesis: &'static str,
    /// The thesis's lines: k-means itself, and what leads there.
    theirs: Option<(usize, usize)>,
    /// What computes.
    logic: &'static [&'static str],
    /// What brings the work there and back.
    communication: &'static [&'static str],
}

const ASSIGN: &str = include_str!("../../../../../examples/kmeans/src/assign.rs");
const KERNELS: &str = include_str!("../../../../../examples/kmeans/src/kernels.rs");
const ON_CORES: &str = include_str!("../../../../../examples/kmeans/src/workers/cpu.rs");
const CUDA_C: &str = include_str!("../../../../../examples/kmeans/src/kmeans.cu");
const BY_CUDA: &str = include_str!("../../../../../examples/kmeans/src/workers/direct.rs");
const ELSEWHERE: &str = include_str!("../../../../../examples/kmeans/src/workers/middleware.rs");
const BY_KERNELS: &str = include_str!("../../../../../examples/kmeans/src/workers/kernel.rs");
const BALANCED: &str = include_str!("../../../../../examples/kmeans/src/workers/balanced.rs");

const ALL: &[Way] = &[
    Way { name: "cpu", in_thesis: "", theirs: None, logic: &[ASSIGN], communication: &[ON_CORES] },
    Way {
        name: "direct (CUDA C)",
        in_thesis: "JNI (CUDA and C)",
        theirs: Some((336, 67)),
        logic: &[CUDA_C],
        communication: &[BY_CUDA],
    },
    Way {
        // What the processes do their pieces by is one of the other ways.
        name: "middleware (RabbitMQ)",
        in_thesis: "RabbitMQ",
        theirs: Some((336, 337)),
        logic: &[ASSIGN],
        communication: &[ON_CORES, ELSEWHERE],
    },
    Way {
        name: "kernel (CubeCL)",
        in_thesis: "DSL",
        theirs: Some((39, 0)),
        logic: &[KERNELS],
        communication: &[BY_KERNELS],
    },
    Way {
        name: "balanced",
        in_thesis: "BalancingPool",
        theirs: None,
        logic: &[ASSIGN, KERNELS],
        communication: &[ON_CORES, BY_KERNELS, BALANCED],
    },
];

impl Way {
    fn lines(&self) -> (usize, usize) {
        let sum = |sources: &[&str]| sources.iter().map(|source| of_code(source)).sum();
        (sum(self.logic), sum(self.communication))
    }
}

pub(super) fn table() -> TextTable {
    let mut table =
        TextTable::new(["way", "in the thesis", "logic", "communication", "thesis's lines"]);
    for way in ALL {
        let (logic, communication) = way.lines();
        let theirs =
            way.theirs.map_or_else(String::new, |(logic, rest)| format!("{logic} + {rest}"));
        let numbers = [logic.to_string(), communication.to_string(), theirs];
        table.row([way.name, way.in_thesis].map(str::to_owned).into_iter().chain(numbers));
    }
    table
}

pub(super) fn chart() -> Bars {
    let lines: Vec<(usize, usize)> = ALL.iter().map(Way::lines).collect();
    let values = |of: fn(&(usize, usize)) -> usize| {
        lines.iter().map(|lines| Some(of(lines) as f64)).collect()
    };
    Bars {
        title: "Figure 6.7: lines of code of the worker".to_owned(),
        y_title: "lines",
        groups: ALL.iter().map(|way| way.name.to_owned()).collect(),
        series: vec![
            ("k-means".to_owned(), values(|lines| lines.0)),
            ("communication".to_owned(), values(|lines| lines.1)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_each_way_are_counted() {
        for way in ALL {
            let (logic, communication) = way.lines();
            assert!(logic > 20 && communication > 10, "{}", way.name);
        }
    }
}
