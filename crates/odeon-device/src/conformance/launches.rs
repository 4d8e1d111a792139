//! What is launched by one session happens in that order. The kernels of these tests do not
//! commute.

use super::transfers::content;
use super::{DeviceUnderTest, unless_unavailable};
use crate::device::Device;

const PLENTY: u64 = 16 << 20;

/// What one launch makes of a word.
fn reference(word: u32, (times, plus): (u32, u32)) -> u32 {
    word.wrapping_mul(times).wrapping_add(plus)
}

/// Launches that come to something else in any other order.
fn steps(count: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
    (0..count).map(|n| (2 * n + 3, 7 * n + 1))
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
    bytes.chunks_exact(4).map(word).collect()
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Also many of them, without waiting in between.
pub fn launches_happen_in_their_order<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        for words in [1, 2, 31, 64, 1_000, 65_537] {
            let numbers: Vec<u32> = (0..words).collect();
            let mut buffer = device.upload(&bytes_of(&numbers)).expect("there is room");
            for (times, plus) in steps(100) {
                T::launch(&mut device, &mut buffer, words as usize, times, plus).expect("launch");
            }
            let got = words_of(&content(&mut device, &buffer, 4 * words as usize));
            let expected: Vec<u32> =
                numbers.iter().map(|&number| steps(100).fold(number, reference)).collect();
            assert!(got == expected, "{words} words after 100 launches");
        }
    });
}

/// Each buffer sees its own, in their order.
pub fn launches_on_several_buffers_do_not_mix<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        let mut buffers: Vec<_> = (0..8_u32)
            .map(|n| device.upload(&bytes_of(&[n; 500])).expect("there is room"))
            .collect();
        for (times, plus) in steps(40) {
            for (n, buffer) in (0..).zip(&mut buffers) {
                T::launch(&mut device, buffer, 500, times + n, plus).expect("launch");
            }
        }
        for (n, buffer) in (0..).zip(&buffers) {
            let expected =
                steps(40).fold(n, |word, (times, plus)| reference(word, (times + n, plus)));
            assert_eq!(words_of(&content(&mut device, buffer, 2_000)), [expected; 500]);
        }
    });
}

/// A write comes behind the launches before it and ahead of those after it, and a download sees all
/// before it.
pub fn writes_and_downloads_keep_their_place_among_launches<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        let mut buffer = device.upload(&bytes_of(&[1; 300])).expect("there is room");
        let mut expected = vec![1; 300];
        for (times, plus) in steps(30) {
            T::launch(&mut device, &mut buffer, 300, times, plus).expect("launch");
            expected.iter_mut().for_each(|word| *word = reference(*word, (times, plus)));
            let written = plus as usize % 300;
            device.write(&mut buffer, &bytes_of(&vec![plus; written])).expect("long enough");
            expected[..written].fill(plus);
            T::launch(&mut device, &mut buffer, 300, 3, 1).expect("launch");
            expected.iter_mut().for_each(|word| *word = reference(*word, (3, 1)));
            if plus % 2 == 0 {
                assert_eq!(words_of(&content(&mut device, &buffer, 1_200)), expected);
            }
        }
        device.synchronize().expect("it has done what was launched");
        assert_eq!(words_of(&content(&mut device, &buffer, 1_200)), expected);
    });
}

/// The words behind those that it is to change, and other buffers.
pub fn a_launch_leaves_what_it_does_not_name<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        let other = device.upload(&bytes_of(&[9; 256])).expect("there is room");
        for words in [1, 63, 64, 65, 255] {
            let mut buffer = device.upload(&bytes_of(&[9; 256])).expect("there is room");
            T::launch(&mut device, &mut buffer, words, 2, 1).expect("launch");
            let got = words_of(&content(&mut device, &buffer, 1_024));
            assert_eq!(
                (&got[..words], &got[words..]),
                (&vec![19; words][..], &vec![9; 256 - words][..])
            );
        }
        assert_eq!(words_of(&content(&mut device, &other, 1_024)), [9; 256]);
    });
}
