//! What is kept, and what goes first: on host memory, which any machine has.

use std::sync::Arc;

use odeon_device::{Device, DeviceError, HostDevice};

use super::Kept;

fn data(length: usize, content: u8) -> Arc<[u8]> {
    vec![content; length].into()
}

fn copy(kept: &mut Kept<HostDevice>, device: &mut HostDevice, data: &Arc<[u8]>) -> Vec<u8> {
    let buffer = kept.copy_of(device, data, |data| data).expect("there is room");
    let mut back = vec![0; data.len()];
    device.download(&buffer, &mut back).expect("it is long enough");
    back
}

#[test]
fn data_is_brought_once_and_told_apart() {
    let (mut device, mut kept) = (HostDevice::new(1_000), Kept::new());
    let (one, other) = (data(100, 1), data(100, 2));
    for _ in 0..3 {
        assert_eq!(copy(&mut kept, &mut device, &one), *one);
        assert_eq!(copy(&mut kept, &mut device, &other), *other);
    }
    assert_eq!((device.memory().used(), kept.count()), (200, 2));
    // Equal content is not the same data.
    copy(&mut kept, &mut device, &data(100, 1));
    assert_eq!(kept.count(), 3);
}

#[test]
fn what_is_gone_is_let_go_and_its_place_is_not_mistaken() {
    let (mut device, mut kept) = (HostDevice::new(1_000), Kept::new());
    for content in 0..100 {
        // As a rule each takes the address of the one before.
        let data = data(100, content);
        assert_eq!(copy(&mut kept, &mut device, &data), *data);
        assert!(kept.count() <= 2);
    }
    let nested = Arc::new((vec![1_u8; 10], vec![2_u8; 20]));
    let first = kept.copy_of(&mut device, &nested, |nested| &nested.0).expect("there is room");
    let second = kept.copy_of(&mut device, &nested, |nested| &nested.1).expect("there is room");
    assert!(!Arc::ptr_eq(&first, &second), "two parts of the same data");
}

#[test]
fn what_was_asked_for_longest_ago_goes_first() {
    let (mut device, mut kept) = (HostDevice::new(300), Kept::new());
    let all = [data(100, 1), data(100, 2), data(100, 3), data(100, 4)];
    for data in &all[..3] {
        copy(&mut kept, &mut device, data);
    }
    let first = kept.copy_of(&mut device, &all[0], |data| data).expect("it is there");
    copy(&mut kept, &mut device, &all[3]);
    let again = kept.copy_of(&mut device, &all[0], |data| data).expect("it is there");
    assert!(Arc::ptr_eq(&first, &again), "the second one was the oldest");
    assert_eq!((device.memory().used(), kept.count()), (300, 3));
}

#[test]
fn what_is_used_stays() {
    let (mut device, mut kept) = (HostDevice::new(300), Kept::new());
    let (one, other) = (data(200, 1), data(200, 2));
    let used = kept.copy_of(&mut device, &one, |data| data).expect("there is room");
    let refused = kept.copy_of(&mut device, &other, |data| data).map(|_| ());
    assert_eq!(refused, Err(DeviceError::OutOfMemory { asked: 200, available: 100 }));
    drop(used);
    assert_eq!(copy(&mut kept, &mut device, &other), *other);
    assert_eq!(kept.count(), 1);
    kept.clear();
    assert_eq!(device.memory().used(), 0);
}

#[test]
fn errors_that_are_not_about_memory_let_nothing_go() {
    let (mut device, mut kept) = (HostDevice::new(300), Kept::new());
    let one = data(200, 1);
    copy(&mut kept, &mut device, &one);
    let lost = DeviceError::Lost("it is".to_owned());
    assert_eq!(kept.or_let_go(|| Err::<(), _>(lost.clone())), Err(lost));
    assert_eq!(kept.count(), 1);
}
