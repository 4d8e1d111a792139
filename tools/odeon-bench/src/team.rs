//! Who does the pieces of a run, as its parameters say: the same words for all iterative programs.

use crate::devices;
use crate::energy;
use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::theater::runtime;
use odeon::prelude::*;
use odeon_device::{Balancing, DeviceError, Objective, Worker};
use odeon_example_iterative::{Crew, RoundPiece};
use odeon_gpu::Which;

/// `--way`: pieces are done on cores.
pub(crate) const CPU: &str = "cpu";
/// `--way`: by kernels on a device.
pub(crate) const KERNEL: &str = "kernel";
/// `--way`: by both, in fixed numbers.
pub(crate) const MIXED: &str = "mixed";
/// `--way`: by who is best.
pub(crate) const BALANCED: &str = "balanced";

/// Ways that have workers on cores.
const ON_CORES: [&str; 3] = [CPU, MIXED, BALANCED];

/// How a round is divided.
pub(crate) const PIECES: Parameter =
    Parameter::number("pieces", "pieces of a round for each worker actor", 1, 1000, 4)
        .outside_floor();

/// Of a team; `way` is the program's own.
pub(crate) const CPU_WORKERS: Parameter =
    Parameter::number("cpu_workers", "worker actors on cores", 0, 256, 2).outside_floor();

/// As [`CPU_WORKERS`].
pub(crate) const DEVICE_WORKERS: Parameter =
    Parameter::number("device_workers", "worker actors that have a device", 0, 16, 1)
        .outside_floor();

/// What a pool looks for.
pub(crate) const OBJECTIVE: Parameter =
    Parameter::word("objective", "what --way balanced looks for", &["time", "energy", "edp"])
        .outside_floor();

/// TUNE: guessed 2026-11: what a pool takes for the number of rounds if nobody knows it: so each
/// configuration is tried for about one. A time would be longer than all rounds of a small set, and
/// shorter than one of a large set.
const EXPECTED_ROUNDS: u64 = 100;

/// Worker actors of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Team {
    way: &'static str,
    objective: &'static str,
    /// On cores.
    pub(crate) cores: usize,
    /// With a device.
    pub(crate) devices: usize,
}

impl Team {
    /// That of a program's parameters.
    pub(crate) fn of(params: &Params) -> Self {
        Self::that_works(params.word("way"), params)
    }

    /// That of a program which has more ways: one by neither cores nor pools is by devices.
    pub(crate) fn that_works(way: &'static str, params: &Params) -> Self {
        let counted = |parameter: Parameter, is_used| match is_used {
            true => params.count(parameter.name),
            false => 0,
        };
        Self {
            way,
            objective: params.word(OBJECTIVE.name),
            cores: counted(CPU_WORKERS, ON_CORES.contains(&way)),
            devices: counted(DEVICE_WORKERS, way != CPU),
        }
    }

    /// How many there are.
    pub(crate) fn size(&self) -> usize {
        self.cores + self.devices
    }

    /// Refuses a team of nobody.
    ///
    /// # Errors
    /// If there is no worker.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        if self.size() == 0 {
            let problem = format!("--way {} needs a worker", self.way);
            let option = if ON_CORES.contains(&self.way) { CPU_WORKERS } else { DEVICE_WORKERS };
            return Err(BenchError::bad_argument(option.option(), problem));
        }
        Ok(())
    }

    /// What this machine lacks for it.
    pub(crate) fn missing(&self, params: &Params) -> Option<String> {
        let needs_energy = self.way == BALANCED && self.objective != "time";
        let device = (self.devices > 0).then(|| devices::chosen(params).err());
        device.flatten().or_else(|| needs_energy.then(energy::missing).flatten())
    }

    /// The device of those that have one.
    ///
    /// # Errors
    /// If it is not there.
    pub(crate) fn which(&self, params: &Params) -> Result<Which, BenchError> {
        match self.devices {
            0 => Ok(Which::Default),
            _ => devices::chosen(params).map_err(BenchError::Runtime),
        }
    }

    /// The workers on cores, each made by `make`.
    ///
    /// # Errors
    /// If one cannot be started.
    pub(crate) fn on_cores<W: Worker<Work: RoundPiece>>(
        &self,
        theater: &Theater,
        make: impl Fn() -> W,
    ) -> Result<Crew<W::Work>, BenchError> {
        let mut crew = Crew::new();
        (0..self.cores).try_for_each(|_| crew.add(theater, make()))?;
        Ok(crew)
    }

    /// The workers with a device, each made by `make`.
    ///
    /// # Errors
    /// If one cannot be made or started.
    pub(crate) fn on_devices<W: Worker<Work: RoundPiece>>(
        &self,
        theater: &Theater,
        make: impl Fn() -> Result<W, DeviceError>,
    ) -> Result<Crew<W::Work>, BenchError> {
        let mut crew = Crew::new();
        (0..self.devices).try_for_each(|_| crew.add(theater, make().map_err(runtime)?))?;
        Ok(crew)
    }

    /// A pool that has workers with a device as its first kind, if there are any, and those on
    /// cores as its last: in fixed numbers, or by what it finds out.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn pooled<P: RoundPiece>(
        &self,
        theater: &Theater,
        params: &Params,
        pool: Balancing<P>,
    ) -> Result<Crew<P>, BenchError> {
        let pool = match (self.way, self.objective) {
            (MIXED, _) => pool.configurations([self.in_use()]),
            (_, "time") => pool,
            (_, "energy") => pool.objective(Objective::Energy).energy(energy::source()),
            _ => pool.objective(Objective::EnergyDelayProduct).energy(energy::source()),
        };
        let rounds = match params.number("rounds") {
            0 => EXPECTED_ROUNDS,
            rounds => rounds,
        };
        let pool = pool.profile_of(rounds * params.number(PIECES.name) * self.size() as u64);
        Ok(Crew::Pool(pool.start(theater).map_err(runtime)?))
    }

    /// All of both kinds, as far as there are any.
    fn in_use(&self) -> Vec<usize> {
        [self.devices, self.cores].into_iter().filter(|count| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theater::theater_with;
    use crate::workloads;
    use odeon_device::{BalancingPool, Kind, Place};
    use std::time::Duration;

    struct Nap(Duration);

    struct Nothing;

    impl RoundPiece for Nothing {
        fn number(&self) -> usize {
            0
        }
    }

    impl Worker for Nap {
        type Work = Nothing;

        fn place(&self) -> Place {
            Place::Cpu
        }

        fn work(&mut self, _batch: &mut [Nothing]) -> Result<(), DeviceError> {
            std::thread::sleep(self.0);
            Ok(())
        }
    }

    /// A run of a tenth of a second, of which nobody says how many rounds it has. Where the machine
    /// is busy with others the pool may try again later, so what counts is its first choice.
    #[test]
    fn a_pool_has_decided_before_a_run_of_unknown_length_ends() {
        let kmeans = workloads::find("kmeans").expect("it exists");
        let params = kmeans.defaults();
        let params = params.with("way", crate::parameter::Value::Word(BALANCED));
        assert_eq!(params.number("rounds"), 0);
        let theater = theater_with(2).expect("it starts");
        let nap = |us| move |_: usize| Ok(Nap(Duration::from_micros(us)));
        let pool = BalancingPool::builder()
            .kind(Kind::new("slow", Place::Cpu, 1, nap(900)))
            .kind(Kind::new("fast", Place::Cpu, 2, nap(100)));
        let crew = Team::of(&params).pooled(&theater, &params, pool).expect("it starts");
        let Crew::Pool(pool) = crew else { panic!("it is a pool") };
        let has_decided = (0..50).any(|_| {
            let round =
                pool.submit_all((0..12).map(|_| Nothing).collect()).wait().expect("it works");
            assert!(round.iter().all(Result::is_ok));
            let report = pool.report();
            !report.is_profiling && report.profilings == 1
        });
        assert!(has_decided, "{:?}", pool.report());
    }
}
