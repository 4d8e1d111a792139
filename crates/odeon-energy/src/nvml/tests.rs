use super::library::{Gpu, Library};
use super::{Meter, NvidiaGpus};
use crate::unavailable::{Cause, Unavailable};
use std::sync::{Arc, Mutex};

/// Made-up GPUs: what each counter shows, or that it has none.
#[derive(Clone)]
struct MadeUp(Arc<Mutex<Vec<Option<u64>>>>);

impl MadeUp {
    fn new(counters: &[Option<u64>]) -> Self {
        Self(Arc::new(Mutex::new(counters.to_vec())))
    }

    fn set(&self, index: usize, millijoules: u64) {
        self.0.lock().unwrap()[index] = Some(millijoules);
    }
}

impl Library for MadeUp {
    fn count(&self) -> Result<u32, Unavailable> {
        Ok(self.0.lock().unwrap().len() as u32)
    }

    fn gpu(&self, index: u32) -> Result<Gpu, Unavailable> {
        let limit_watts = (index == 0).then_some(400.0);
        Ok(Gpu { name: "Made-up".into(), identity: format!("GPU-{index}"), limit_watts })
    }

    fn millijoules(&self, index: u32) -> Result<u64, Unavailable> {
        let counter = self.0.lock().unwrap()[index as usize];
        counter.ok_or_else(|| Unavailable::new(Cause::NotSupported, "it does not count"))
    }
}

fn meter(made_up: &MadeUp) -> Result<(NvidiaGpus, Vec<Unavailable>), Unavailable> {
    NvidiaGpus::with(Box::new(made_up.clone()))
}

#[test]
fn each_gpu_counts_for_itself_from_where_it_is() {
    let made_up = MadeUp::new(&[Some(1_000_000), Some(5)]);
    let (mut meter, others) = meter(&made_up).expect("both count");
    assert!(others.is_empty());
    let names: Vec<_> = meter.domains().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["GPU 0 Made-up", "GPU 1 Made-up"]);
    assert_eq!(meter.joules().unwrap(), 0.0);
    made_up.set(0, 1_002_500);
    made_up.set(1, 1005);
    assert_eq!(meter.count(0).unwrap().joules, 2.5);
    assert_eq!(meter.count(1).unwrap().joules, 1.0);
    assert_eq!(meter.joules().unwrap(), 3.5);
    assert_eq!(meter.domains()[0].peak_watts, 600.0);
    assert!(!meter.domains()[0].overlaps(&meter.domains()[1]));
}

#[test]
fn a_gpu_that_does_not_count_is_told_and_never_zero() {
    let made_up = MadeUp::new(&[None, Some(7)]);
    let (meter, others) = meter(&made_up).expect("one counts");
    assert_eq!((meter.domains().len(), &meter.domains()[0].name[..5]), (1, "GPU 1"));
    assert_eq!(others[0].cause(), &Cause::NotSupported);
    let refused = NvidiaGpus::with(Box::new(MadeUp::new(&[None]))).err().expect("none counts");
    assert_eq!(refused.cause(), &Cause::NotSupported);
    let refused = NvidiaGpus::with(Box::new(MadeUp::new(&[]))).err().expect("there is none");
    assert_eq!(refused.cause(), &Cause::NotThere);
}

#[test]
fn a_driver_that_is_loaded_again_interrupts_the_count() {
    let made_up = MadeUp::new(&[Some(9_000)]);
    let (mut meter, _) = meter(&made_up).expect("it counts");
    made_up.set(0, 9_500);
    let before = meter.count(0).unwrap();
    made_up.set(0, 100);
    assert_eq!(meter.count(0).unwrap_err().cause(), &Cause::Interrupted);
    made_up.set(0, 1_100);
    let after = meter.count(0).unwrap();
    assert_ne!(before.run, after.run);
    assert_eq!(after.joules, 1.5, "what was counted stays, what is not known is not in it");
}
