//! Logs that are put together of any parts, with right checksums mostly: by bytes that a seed or a
//! fuzzer gives.

use crate::encoded::Encoded;
use crate::made::{Files, segment, snapshot};

/// Bytes that are taken from the front; zeros behind the end.
struct Plan<'p>(&'p [u8]);

impl Plan<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    /// In one of so many cases.
    fn seldom(&mut self, cases: u8) -> bool {
        self.byte() % cases == cases - 1
    }

    /// This one, or any other.
    fn about(&mut self, number: u64) -> u64 {
        match self.byte() {
            0..240 => number,
            240..252 => u64::from(self.byte()) % 12,
            252 => number.wrapping_sub(1),
            253 => number.wrapping_add(1),
            by => u64::MAX - u64::from(by & 1),
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        vec![self.byte(); usize::from(self.byte()) * 3]
    }
}

/// The files of a log that follows a plan: whole if it is all zeros.
pub(crate) fn files(plan: &[u8]) -> Files {
    let mut plan = Plan(plan);
    let mut files = Files::new();
    let mut next = plan.about(1);
    for _ in 0..1 + plan.byte() % 4 {
        let is_snapshot = plan.seldom(4);
        let id = u128::from(7 + u8::from(plan.seldom(40)));
        // Behind the last number of all comes none.
        let first = plan.about(next).min(u64::MAX - 1);
        let named = plan.about(first);
        let mut file =
            if is_snapshot { Encoded::snapshot(id, first) } else { Encoded::segment(id, first) };
        let blocks = u64::from(plan.byte() % 4);
        for block in 1..=blocks {
            let number = plan.about(if is_snapshot { block } else { next });
            file = match plan.byte() % 40 {
                0..30 if is_snapshot => file.chunk(number, &plan.bytes()),
                0..30 => file.epoch(number, &[&plan.bytes(), &plan.bytes()]),
                30 => file.chunk(number, &plan.bytes()),
                31 => file.footer(number),
                32 => file.epoch(number, &[]),
                33..36 => {
                    let (length, records) = (plan.about(8) as u32, plan.about(2) as u32);
                    let marker = [b"\xF5Epo", b"\xF5Chu", b"\xF5End"][usize::from(plan.byte() % 3)];
                    file.block(marker, number, length, records, &[0; 8])
                }
                36 => {
                    let at = usize::from(plan.byte());
                    file.bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
                    file
                }
                37 => {
                    let left = file.bytes.len() - usize::from(plan.byte()).min(file.bytes.len());
                    file.bytes.truncate(left);
                    file
                }
                _ => {
                    let bytes = plan.bytes();
                    file.bytes.extend(bytes);
                    file
                }
            };
            next = if is_snapshot { next } else { number.wrapping_add(1) };
        }
        if is_snapshot && !plan.seldom(20) {
            file = file.footer(plan.about(blocks));
        }
        let name = if is_snapshot { snapshot(named) } else { segment(named) };
        files.insert(name, file.bytes);
    }
    files
}
