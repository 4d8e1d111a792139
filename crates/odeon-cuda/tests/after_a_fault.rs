//! What the driver itself lets a process do after a fault of a kernel, by its own functions: what
//! `odeon-cuda` can promise depends on it. Nothing here is a promise of a driver, so what is found
//! is told, and only what every driver does is checked: another process has the device.

use std::ffi::{CStr, CString, c_uint, c_void};
use std::ptr;
use std::thread;
use std::time::Duration;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUresult};
use odeon_device::DeviceError;
use odeon_testkit::OwnProcess;

mod support;
use support::{fresh_session_works, open, say};

/// For a process, and for each wait: far more than it takes.
const LONG: Duration = Duration::from_secs(40);

const FAULTS: [(&CStr, &str); 2] = [(c"stray", "an illegal address"), (c"trap", "a trap")];

/// What was asked for, and what the driver said.
type Step = Result<(), (&'static str, CUresult)>;

fn step(what: &'static str, result: CUresult) -> Step {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err((what, other)),
    }
}

/// The first device, and kernels for it.
struct Driver {
    device: CUdevice,
    ptx: CString,
}

/// A context, which another thread may use.
#[derive(Clone, Copy)]
struct Context(CUcontext);
// SAFETY: contexts are for all threads; they are ended by these tests where nobody uses them.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Driver {
    /// Nothing if there is no device or no compiler, which the caller has said.
    fn new() -> Option<Self> {
        let context = cudarc::driver::CudaContext::new(0).ok()?;
        let capability = context.compute_capability().ok()?;
        let ptx = odeon_cuda::compile("failing.cu", support::FAILING, capability, &[]).ok()?;
        let (device, ptx) = (context.cu_device(), CString::new(ptx).ok()?);
        Some(Self { device, ptx })
    }

    fn retain(&self) -> Result<Context, (&'static str, CUresult)> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is to a variable; the device is one.
        let retained = unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, self.device) };
        step("cuDevicePrimaryCtxRetain", retained).map(|()| Context(context))
    }

    fn release(&self) -> Step {
        // SAFETY: each is for one `retain` of these tests.
        step("cuDevicePrimaryCtxRelease", unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) })
    }

    fn reset(&self) -> Step {
        // SAFETY: nothing that was made in it is used any more.
        step("cuDevicePrimaryCtxReset", unsafe { sys::cuDevicePrimaryCtxReset_v2(self.device) })
    }

    fn create(&self) -> Result<Context, (&'static str, CUresult)> {
        type Create = unsafe extern "C" fn(*mut CUcontext, c_uint, CUdevice) -> CUresult;
        let mut context = ptr::null_mut();
        // SAFETY: the function of that name has this type, in every driver.
        let created = unsafe {
            let create = sys::culib().get::<Create>(b"cuCtxCreate_v2\0").expect("it is there");
            create(&mut context, 0, self.device)
        };
        step("cuCtxCreate", created).map(|()| Context(context))
    }

    fn destroy(&self, context: Context) -> Step {
        // SAFETY: it is destroyed once, and not used afterwards.
        step("cuCtxDestroy", unsafe { sys::cuCtxDestroy_v2(context.0) })
    }

    /// Loads a kernel in a context, runs it, and gives back what it has had.
    fn run(&self, context: Context, kernel: &CStr) -> Step {
        let (mut module, mut function, mut words) = (ptr::null_mut(), ptr::null_mut(), 0);
        let mut bytes = 64_u64;
        let mut back = [0_u32; 16];
        // SAFETY: all pointers are to variables that outlive the calls; the kernels have these two
        // parameters; those that leave their memory are in a process of their own.
        unsafe {
            step("cuCtxSetCurrent", sys::cuCtxSetCurrent(context.0))?;
            let image = self.ptx.as_ptr().cast::<c_void>();
            step("cuModuleLoadData", sys::cuModuleLoadData(&mut module, image))?;
            let found = sys::cuModuleGetFunction(&mut function, module, kernel.as_ptr());
            step("cuModuleGetFunction", found)?;
            step("cuMemAlloc", sys::cuMemAlloc_v2(&mut words, 64))?;
            step("cuMemsetD8", sys::cuMemsetD8_v2(words, 0, 64))?;
            let mut given = [(&raw mut words).cast::<c_void>(), (&raw mut bytes).cast::<c_void>()];
            let (given, none) = (given.as_mut_ptr(), ptr::null_mut());
            let launched =
                sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, ptr::null_mut(), given, none);
            step("cuLaunchKernel", launched)?;
            step("cuCtxSynchronize", sys::cuCtxSynchronize())?;
            let into = back.as_mut_ptr().cast::<c_void>();
            step("cuMemcpyDtoH", sys::cuMemcpyDtoH_v2(into, words, 64))?;
            assert_eq!(back, [1; 16], "what the kernel has written");
            step("cuMemFree", sys::cuMemFree_v2(words))?;
            step("cuModuleUnload", sys::cuModuleUnload(module))
        }
    }

    /// That a kernel which is right runs there.
    fn works(&self, context: Result<Context, (&'static str, CUresult)>) -> Step {
        self.run(context?, c"add_one")
    }
}

/// Does `body` for each fault, in a process for each, and sees then that this one has the device.
fn after_each_fault(test: &str, body: impl Fn(&Driver, &CStr, &dyn Fn(&str, Step))) {
    for (kernel, fault) in FAULTS {
        let name = format!("{test}_{}", kernel.to_str().expect("ASCII"));
        if OwnProcess::is_of(test) {
            // Which fault the parent wants is in its environment.
            if std::env::var("FAULT_OF_THIS_PROCESS").as_deref() != Ok(name.as_str()) {
                continue;
            }
            let Some(driver) = Driver::new() else { return };
            let tell = |what: &str, step: Step| say(&format!("found: {fault}: {what}: {step:?}"));
            return body(&driver, kernel, &tell);
        }
        if open(test).is_none() {
            return;
        }
        let mut command = std::process::Command::new(std::env::current_exe().expect("a path"));
        command.env("FAULT_OF_THIS_PROCESS", &name);
        let mut process = OwnProcess::start_by(command, test);
        let status = process.end(LONG);
        say(&format!("found: {name}: the process has ended as {status:?}"));
        drop(process);
        let after = fresh_session_works(LONG);
        say(&format!("found: {name}: another process: {after:?}"));
        assert!(!matches!(after, Err(DeviceError::Lost(_) | DeviceError::Invalid(_))), "{after:?}");
        assert!(status.is_some_and(|status| status.success()), "{name}: {status:?}");
    }
}

#[test]
fn of_the_shared_context_that_all_let_go_of() {
    const NAME: &str = "of_the_shared_context_that_all_let_go_of";
    after_each_fault(NAME, |driver, fault, tell| {
        let context = driver.retain().expect("it is there");
        tell("before", driver.works(Ok(context)));
        tell("the fault", driver.run(context, fault));
        tell("retained by another", driver.works(driver.retain()));
        tell("released, once", driver.release());
        tell("released, by all", driver.release());
        tell("retained again", driver.works(driver.retain()));
        tell("released again", driver.release());
        let elsewhere = || driver.works(driver.retain());
        thread::scope(|scope| {
            let told = scope.spawn(elsewhere).join().expect("nothing panics");
            tell("retained again, on another thread", told);
        });
        tell("beside it, one of its own", driver.works(driver.create()));
    });
}

#[test]
fn of_the_shared_context_that_is_reset() {
    const NAME: &str = "of_the_shared_context_that_is_reset";
    after_each_fault(NAME, |driver, fault, tell| {
        let context = driver.retain().expect("it is there");
        tell("the fault", driver.run(context, fault));
        tell("reset while it is retained", driver.reset());
        tell("retained again", driver.works(driver.retain()));
        tell("one of its own", driver.works(driver.create()));
        tell("what was retained before the fault", driver.works(Ok(context)));
    });
}

#[test]
fn beside_the_shared_context_that_somebody_keeps() {
    const NAME: &str = "beside_the_shared_context_that_somebody_keeps";
    after_each_fault(NAME, |driver, fault, tell| {
        let context = driver.retain().expect("it is there");
        tell("the fault", driver.run(context, fault));
        tell("one of its own, on that thread", driver.works(driver.create()));
        thread::scope(|scope| {
            let elsewhere = scope.spawn(|| driver.works(driver.create()));
            let told = elsewhere.join().expect("nothing panics");
            tell("one of its own, on another thread", told);
        });
    });
}

#[test]
fn of_one_context_beside_others_that_were_there_before() {
    const NAME: &str = "of_one_context_beside_others_that_were_there_before";
    after_each_fault(NAME, |driver, fault, tell| {
        let shared = driver.retain().expect("it is there");
        let [one, other] = [(); 2].map(|()| driver.create().expect("there is room"));
        for (context, name) in [(shared, "shared"), (one, "one"), (other, "other")] {
            tell(&format!("before: {name}"), driver.works(Ok(context)));
        }
        tell("the fault, in one of its own", driver.run(one, fault));
        tell("another one", driver.works(Ok(other)));
        tell("the shared one", driver.works(Ok(shared)));
        tell("the one with the fault is destroyed", driver.destroy(one));
        tell("another one, then", driver.works(Ok(other)));
        tell("the shared one, then", driver.works(Ok(shared)));
        tell("a new one", driver.works(driver.create()));
    });
}
