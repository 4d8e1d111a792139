//! Several meters as one.

use crate::domain::Domain;
use crate::meter::{Count, Meter};
use crate::unavailable::Unavailable;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Several meters as one: a processor's and its GPUs', say. What it covers is what
/// [`domains`](Meter::domains) lists.
#[derive(Default)]
pub struct Composite {
    meters: Vec<Box<dyn Meter>>,
    domains: Vec<Domain>,
    /// Which meter and which of its domains.
    places: Vec<(usize, usize)>,
}

/// Two counters would count the same joules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The name of what is covered already.
    pub covered: Arc<str>,
    /// The name of what would count it again.
    pub again: Arc<str>,
}

impl Composite {
    /// Covers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Covers what `meter` covers, too.
    ///
    /// # Errors
    /// [`Overlap`] if a joule could be counted twice; then nothing is added.
    pub fn add(&mut self, meter: impl Meter + 'static) -> Result<(), Overlap> {
        let new = meter.domains();
        for (number, again) in new.iter().enumerate() {
            let mut before = self.domains.iter().chain(&new[..number]);
            if let Some(covered) = before.find(|covered| covered.overlaps(again)) {
                return Err(Overlap { covered: covered.name.clone(), again: again.name.clone() });
            }
        }
        self.places.extend((0..new.len()).map(|domain| (self.meters.len(), domain)));
        self.domains.extend_from_slice(new);
        self.meters.push(Box::new(meter));
        Ok(())
    }
}

impl Meter for Composite {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        let (meter, domain) = self.places[domain];
        self.meters[meter].count(domain)
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} would count joules of {} again", self.again, self.covered)
    }
}

impl Error for Overlap {}
