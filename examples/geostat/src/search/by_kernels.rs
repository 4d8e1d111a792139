//! The search by kernels, on any device that CubeCL reaches: all events of a request in one launch.

use super::kernels::{WINDOW, choose, look_at_stretches};
use super::{DataEvent, FoundPlace, ImageSearch, Limits, Window};
use crate::training_image::{TrainingImage, ValueKind};
use bytemuck::cast_slice_mut;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuBuffer, GpuDevice, Which};
use std::sync::{Arc, Mutex, PoisonError};

/// TUNE: nodes that one unit looks at, one after the other; guessed 2026-11: fewer keep more units
/// busy and leave more to choose from.
const STRETCH: usize = 128;

/// Searches an image that stays on a device. Threads that search at the same time have a session
/// each, so that none of them waits for what another one has asked for.
///
/// It finds what [`PlainSearch`](super::PlainSearch) finds. Of categories always: differences are
/// counted. Of numbers on devices that round sums as processors do, to the nearest: differences are
/// added up in the same order.
///
/// WHY it is slower than cores, also on a large GPU: a request has the few points of one batch, for
/// which four buffers are allocated and five uploaded, each of which waits for the thread that
/// talks to the driver, and one read waits for the device; cores search for a point in some
/// microseconds. It would pay for images and batches a hundred times as large.
pub struct KernelSearch {
    which: Which,
    image: Arc<TrainingImage>,
    limits: Limits,
    /// Those that nobody uses just now.
    sessions: Mutex<Vec<GpuSession>>,
}

/// A session with the image there.
struct GpuSession {
    // Dropped before the session: that gives back what it had.
    image: GpuBuffer,
    gpu: GpuDevice,
}

impl KernelSearch {
    /// Searches `image` on that device.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, or no driver for it.
    pub fn on(
        which: Which,
        image: Arc<TrainingImage>,
        limits: Limits,
    ) -> Result<Self, DeviceError> {
        let first = GpuSession::open(which, &image)?;
        Ok(Self { which, image, limits, sessions: Mutex::new(vec![first]) })
    }

    fn try_find(
        &self,
        events: &[DataEvent],
        answers: &mut [FoundPlace],
    ) -> Result<(), DeviceError> {
        let idle = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = match idle {
            Some(session) => session,
            None => GpuSession::open(self.which, &self.image)?,
        };
        let asked = KernelEvents::new(events, &self.image, self.limits);
        session.find(&asked, &self.image, answers)?;
        // One that has failed is not used again.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        Ok(())
    }
}

impl ImageSearch for KernelSearch {
    /// # Panics
    /// If the device fails: whose work this is part of has failed with it.
    fn find(&self, events: &[DataEvent], answers: &mut [FoundPlace]) {
        if events.is_empty() {
            return;
        }
        let found = self.try_find(events, answers);
        found.unwrap_or_else(|error| panic!("the search on the device: {error}"));
    }
}

/// Events as the kernels want them.
struct KernelEvents {
    all: Vec<Window>,
    windows: Vec<u32>,
    near: Vec<f32>,
    offsets: Vec<i32>,
    values: Vec<f32>,
}

impl KernelEvents {
    fn new(events: &[DataEvent], image: &TrainingImage, limits: Limits) -> Self {
        let (width, height) = (image.field().width(), image.field().height());
        let mut asked = Self {
            all: Vec::with_capacity(events.len()),
            windows: Vec::with_capacity(events.len() * WINDOW),
            near: Vec::with_capacity(events.len()),
            offsets: Vec::new(),
            values: Vec::new(),
        };
        for event in events {
            let window = Window::of(event, width, height, limits);
            let numbers: [usize; WINDOW] = [
                asked.values.len(),
                window.compared,
                window.top * width + window.left,
                window.columns,
                window.columns * window.rows,
                window.start,
                window.budget,
            ];
            asked.windows.extend(numbers.map(|number| number as u32));
            asked.near.push(image.kind().near_enough(window.compared, limits));
            for one in &event.neighbours[..window.compared] {
                asked.offsets.push(i32::from(one.dy) * width as i32 + i32::from(one.dx));
                asked.values.push(one.value);
            }
            asked.all.push(window);
        }
        // No buffer is empty.
        asked.offsets.push(0);
        asked.values.push(0.0);
        asked
    }
}

impl GpuSession {
    fn open(which: Which, image: &TrainingImage) -> Result<Self, DeviceError> {
        let mut gpu = GpuDevice::open(which)?;
        Ok(Self { image: gpu.upload_slice(image.field().values())?, gpu })
    }

    fn find(
        &mut self,
        asked: &KernelEvents,
        image: &TrainingImage,
        answers: &mut [FoundPlace],
    ) -> Result<(), DeviceError> {
        let (there, gpu) = (&self.image, &mut self.gpu);
        let (width, events) = (image.field().width(), asked.all.len());
        let most = asked.all.iter().map(|window| window.budget).max().unwrap_or(0);
        let units = most.div_ceil(STRETCH) * events;
        let is_of_categories = matches!(image.kind(), ValueKind::Categorical(_));
        let windows = gpu.upload_slice(&asked.windows)?;
        let near = gpu.upload_slice(&asked.near)?;
        let offsets = gpu.upload_slice(&asked.offsets)?;
        let values = gpu.upload_slice(&asked.values)?;
        let mut hits = gpu.upload_slice(&vec![u32::MAX; events])?;
        let mut sums = gpu.allocate(units * size_of::<f32>())?;
        let mut places = gpu.allocate(units * size_of::<u32>())?;
        let mut chosen = gpu.allocate(events * size_of::<u32>())?;
        let mut differences = gpu.allocate(events * size_of::<f32>())?;
        gpu.launch(|on| {
            let (cubes, cube) = on.in_cubes_of(64, units);
            look_at_stretches::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(there),
                width as u32,
                on.input::<u32>(&windows),
                on.input::<f32>(&near),
                on.input::<i32>(&offsets),
                on.input::<f32>(&values),
                on.output::<u32>(&mut hits),
                on.output::<f32>(&mut sums),
                on.output::<u32>(&mut places),
                STRETCH,
                is_of_categories,
            );
            let (cubes, cube) = on.in_cubes_of(64, events);
            choose::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(&sums),
                on.input::<u32>(&places),
                on.input::<f32>(&near),
                on.output::<u32>(&mut chosen),
                on.output::<f32>(&mut differences),
            );
        })?;
        let (mut places, mut sums) = (vec![0_u32; events], vec![0.0_f32; events]);
        gpu.download_all(vec![
            (&chosen, cast_slice_mut(&mut places)),
            (&differences, cast_slice_mut(&mut sums)),
        ])?;
        let found = asked.all.iter().zip(&asked.near).zip(places.into_iter().zip(sums));
        for (answer, ((window, near), (place, sum))) in answers.iter_mut().zip(found) {
            let inside = (window.start + place as usize) % (window.columns * window.rows);
            let row = window.top + inside / window.columns;
            *answer = FoundPlace {
                place: (row * width + window.left + inside % window.columns) as u32,
                distance: image.kind().distance(sum, window.compared),
                scanned: if sum <= *near { place + 1 } else { window.budget as u32 },
            };
        }
        Ok(())
    }
}
