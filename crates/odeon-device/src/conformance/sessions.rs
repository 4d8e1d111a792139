//! Several sessions, and their ends.

use std::thread;

use super::transfers::{content, pattern};
use super::{DeviceUnderTest, unless_unavailable};
use crate::device::Device;

const PLENTY: u64 = 32 << 20;

/// What one has does not count for another.
pub fn sessions_have_accounts_of_their_own<T: DeviceUnderTest>() {
    unless_unavailable(T::open(1_000), |mut one| {
        let mut two = T::open(500).expect("one is open already");
        let of_one = one.allocate(900).expect("there is room");
        let of_two = two.allocate(400).expect("what the other one has does not count");
        assert_eq!((one.memory().used(), two.memory().used()), (900, 400));
        assert!(one.allocate(200).is_err() && two.allocate(200).is_err());
        drop(of_one);
        assert_eq!((one.memory().used(), two.memory().used()), (0, 400));
        assert!(one.allocate(200).is_ok() && two.allocate(200).is_err());
        drop(of_two);
        assert!(!one.name().is_empty() && one.name() == two.name());
    });
}

/// Each with a session of its own, at once.
pub fn sessions_of_several_threads_do_not_disturb_each_other<T: DeviceUnderTest>() {
    unless_unavailable(T::open(1), |_| {
        let work = |salt: u32| {
            let mut device = T::open(PLENTY).expect("one is open already");
            for round in 0..20_u32 {
                let bytes = pattern(4_000 + round as usize, salt);
                let mut buffer = device.upload(&bytes).expect("there is room");
                T::launch(&mut device, &mut buffer, 1_000, salt, round).expect("launch");
                let got = content(&mut device, &buffer, bytes.len());
                let expected = bytes[..4_000].chunks_exact(4).flat_map(|word| {
                    let word = u32::from_ne_bytes(word.try_into().expect("four bytes"));
                    word.wrapping_mul(salt).wrapping_add(round).to_ne_bytes()
                });
                let expected: Vec<u8> = expected.chain(bytes[4_000..].iter().copied()).collect();
                assert!(got == expected, "session {salt}, round {round}");
            }
            assert_eq!(device.memory().used(), 0);
        };
        thread::scope(|scope| {
            for salt in 1..=6 {
                scope.spawn(move || work(salt));
            }
        });
    });
}

/// With its buffers, between two launches.
pub fn a_session_goes_from_thread_to_thread<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        let mut buffer = device.upload(&[0; 400]).expect("there is room");
        for _ in 0..5 {
            T::launch(&mut device, &mut buffer, 100, 2, 1).expect("launch");
            let moved = thread::spawn(move || {
                T::launch(&mut device, &mut buffer, 100, 2, 1).expect("launch");
                (device, buffer)
            });
            (device, buffer) = moved.join().expect("it works there");
        }
        let expected = (0..10).fold(0_u32, |word, _| 2 * word + 1).to_ne_bytes().repeat(100);
        assert!(content(&mut device, &buffer, 400) == expected);
    });
}

/// Launches on other buffers are not hurt, nor those that come into the same memory.
pub fn buffers_are_dropped_while_work_is_under_way<T: DeviceUnderTest>() {
    const WORDS: usize = 250_000;
    unless_unavailable(T::open(8 * WORDS as u64), |mut device| {
        let mut kept = device.upload(&vec![0; 4 * WORDS]).expect("there is room");
        for round in 0..20_u32 {
            let mut goes = device.upload(&vec![round as u8; 4 * WORDS]).expect("the last is gone");
            T::launch(&mut device, &mut goes, WORDS, 3, 1).expect("launch");
            drop(goes);
            T::launch(&mut device, &mut kept, WORDS, 3, round).expect("launch");
        }
        let expected =
            (0..20_u32).fold(0_u32, |word, round| word.wrapping_mul(3).wrapping_add(round));
        let expected = expected.to_ne_bytes().repeat(WORDS);
        assert!(content(&mut device, &kept, 4 * WORDS) == expected);
    });
}

/// Before its buffers or after them; others, and the next one, are not hurt.
pub fn a_session_is_dropped_while_work_is_under_way<T: DeviceUnderTest>() {
    const WORDS: usize = 250_000;
    unless_unavailable(T::open(PLENTY), |mut other| {
        let mut kept = other.upload(&[1; 4_000]).expect("there is room");
        for round in 0..10 {
            let mut device = T::open(PLENTY).expect("one is open already");
            let memory = device.memory().clone();
            let mut buffer = device.upload(&vec![1; 4 * WORDS]).expect("there is room");
            for _ in 0..10 {
                T::launch(&mut device, &mut buffer, WORDS, 3, 1).expect("launch");
            }
            if round % 2 == 0 {
                drop(device);
                drop(buffer);
            } else {
                drop(buffer);
                drop(device);
            }
            assert_eq!(memory.used(), 0);
            T::launch(&mut other, &mut kept, 1_000, 1, 1).expect("launch");
        }
        let word = u32::from_ne_bytes([1; 4]) + 10;
        assert!(content(&mut other, &kept, 4_000) == word.to_ne_bytes().repeat(1_000));
    });
}

/// With nothing to wait for, and again.
pub fn synchronizing_is_always_possible<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        device.synchronize().expect("nothing was launched");
        let mut buffer = device.upload(&[0; 40]).expect("there is room");
        T::launch(&mut device, &mut buffer, 10, 1, 1).expect("launch");
        device.synchronize().expect("it can be done");
        device.synchronize().expect("it has been done");
        assert!(content(&mut device, &buffer, 40) == 1_u32.to_ne_bytes().repeat(10));
    });
}
