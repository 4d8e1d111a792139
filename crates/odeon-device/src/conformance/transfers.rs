//! What is uploaded, written and downloaded.

use super::{DeviceUnderTest, unless_unavailable};
use crate::device::Device;
use crate::error::DeviceError;

/// Enough for all of these tests.
const PLENTY: u64 = 64 << 20;

/// From nothing to beyond a page, around powers of two, and not only multiples of four.
const SIZES: [usize; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    31,
    63,
    64,
    65,
    255,
    256,
    257,
    1_000,
    4_095,
    4_096,
    4_097,
    65_537,
    1 << 20,
    5_000_003,
];

/// Bytes that tell places and buffers apart.
pub(super) fn pattern(length: usize, salt: u32) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32.wrapping_mul(salt | 1).wrapping_add(salt);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The first `length` bytes of a buffer.
///
/// # Panics
/// If they cannot be downloaded.
pub(super) fn content<D: Device>(device: &mut D, buffer: &D::Buffer, length: usize) -> Vec<u8> {
    let mut into = vec![0xa5; length];
    device.download(buffer, &mut into).expect("the buffer is long enough");
    into
}

/// Of every size, and the beginning of it as well as the whole.
pub fn what_is_uploaded_comes_back<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        for (salt, size) in (1..).zip(SIZES) {
            let bytes = pattern(size, salt);
            let buffer = device.upload(&bytes).expect("there is room");
            assert!(content(&mut device, &buffer, size) == bytes, "{size} bytes came back changed");
            let part = size / 3;
            let beginning = content(&mut device, &buffer, part);
            assert!(beginning == bytes[..part], "{part} of {size} bytes came back changed");
        }
    });
}

/// And nothing else.
pub fn what_is_written_replaces_the_beginning<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        for (salt, size) in (1..).zip(SIZES) {
            let mut expected = pattern(size, salt);
            let mut buffer = device.upload(&expected).expect("there is room");
            for part in [0, size / 7, size / 2, size] {
                let bytes = pattern(part, salt + 1_000);
                device.write(&mut buffer, &bytes).expect("it is long enough");
                expected[..part].copy_from_slice(&bytes);
                let got = content(&mut device, &buffer, size);
                assert!(got == expected, "{part} bytes written over {size}");
            }
        }
    });
}

/// An error, and the buffer is as it was.
pub fn ranges_beyond_a_buffer_are_invalid<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        for size in [0, 1, 4, 5, 256, 1_001] {
            let bytes = pattern(size, 7);
            let mut buffer = device.upload(&bytes).expect("there is room");
            for beyond in [1, 3, 4, 100] {
                let too_long = pattern(size + beyond, 8);
                let written = device.write(&mut buffer, &too_long);
                assert!(matches!(written, Err(DeviceError::Invalid(_))), "{written:?}");
                let read = device.download(&buffer, &mut vec![0; size + beyond]);
                assert!(matches!(read, Err(DeviceError::Invalid(_))), "{read:?}");
            }
            assert!(content(&mut device, &buffer, size) == bytes, "it was changed all the same");
        }
    });
}

/// Whatever their sizes.
pub fn buffers_do_not_overlap<T: DeviceUnderTest>() {
    unless_unavailable(T::open(PLENTY), |mut device| {
        let all: Vec<_> = (1..).zip(SIZES).filter(|&(_, size)| size < 10_000).collect();
        let mut buffers: Vec<_> = all
            .iter()
            .map(|&(salt, size)| device.upload(&pattern(size, salt)).expect("there is room"))
            .collect();
        for (buffer, &(salt, size)) in buffers.iter_mut().zip(&all) {
            device.write(buffer, &pattern(size, salt + 100)).expect("it is long enough");
        }
        for (buffer, &(salt, size)) in buffers.iter().zip(&all) {
            let expected = pattern(size, salt + 100);
            assert!(content(&mut device, buffer, size) == expected, "the buffer of {size} bytes");
        }
    });
}
