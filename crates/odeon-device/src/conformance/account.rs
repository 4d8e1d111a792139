//! The account of memory: bytes that were asked for, exactly.

use super::{DeviceUnderTest, unless_unavailable};
use crate::device::Device;
use crate::error::DeviceError;

const LIMIT: u64 = 1 << 20;

/// Every byte that is asked for counts, as long as its buffer lives, and nothing else does.
pub fn the_account_is_exact<T: DeviceUnderTest>() {
    unless_unavailable(T::open(LIMIT), |mut device| {
        let memory = device.memory().clone();
        assert_eq!((memory.used(), memory.limit()), (0, LIMIT));
        let mut buffers = Vec::new();
        let mut sum = 0;
        for size in [0, 1, 3, 4, 100, 257, 4_096, 10_001] {
            buffers.push(device.allocate(size).expect("there is room"));
            buffers.push(device.upload(&vec![1; size]).expect("there is room"));
            sum += 2 * size as u64;
            assert_eq!(memory.used(), sum);
        }
        let last = buffers.len() - 1;
        device.write(&mut buffers[last], &[2; 10_001]).expect("it is long enough");
        device.download(&buffers[last], &mut [0; 10_001]).expect("it is long enough");
        assert_eq!(memory.used(), sum, "transfers take nothing that they keep");
        buffers.truncate(last);
        assert_eq!(memory.used(), sum - 10_001);
        drop(buffers);
        assert_eq!(memory.used(), 0);
    });
}

/// It says how many were asked for and how many there are, takes nothing, and what there is can be
/// had.
pub fn one_byte_too_many_is_an_error<T: DeviceUnderTest>() {
    unless_unavailable(T::open(LIMIT), |mut device| {
        let kept = device.allocate(1_000).expect("there is room");
        let available = LIMIT - 1_000;
        for too_many in [available + 1, 2 * LIMIT, 1 << 40] {
            let refused = device.allocate(too_many as usize).err();
            let expected = DeviceError::OutOfMemory { asked: too_many, available };
            assert_eq!(refused, Some(expected));
            assert_eq!(device.memory().used(), 1_000);
        }
        let asked = available + 1;
        let refused = device.upload(&vec![0; asked as usize]).err();
        assert_eq!(refused, Some(DeviceError::OutOfMemory { asked, available }));
        let all = device.allocate(available as usize).expect("just enough");
        let refused = device.allocate(1).err();
        assert_eq!(refused, Some(DeviceError::OutOfMemory { asked: 1, available: 0 }));
        device.allocate(0).expect("nothing is always there");
        drop((kept, all));
    });
}

/// At once, and in another size.
pub fn what_is_dropped_can_be_had_again<T: DeviceUnderTest>() {
    unless_unavailable(T::open(LIMIT), |mut device| {
        for parts in [1, 2, 3, 5, 16] {
            let size = LIMIT as usize / parts;
            let mut buffers: Vec<_> =
                (0..parts).map(|_| device.allocate(size).expect("there is room")).collect();
            assert!(device.allocate(size).is_err(), "the limit is passed");
            buffers.swap_remove(0);
            buffers.push(device.allocate(size).expect("one was dropped"));
        }
        assert_eq!(device.memory().used(), 0);
    });
}

/// Many times what may be in use at once.
pub fn memory_is_freed_over_and_over<T: DeviceUnderTest>() {
    unless_unavailable(T::open(LIMIT), |mut device| {
        for round in 0..300_u32 {
            let bytes = vec![round as u8; LIMIT as usize * 3 / 4];
            let buffer = device.upload(&bytes).expect("the one before is gone");
            let mut back = [0; 5];
            device.download(&buffer, &mut back).expect("it is long enough");
            assert_eq!(back, [round as u8; 5]);
        }
        assert_eq!(device.memory().used(), 0);
    });
}
