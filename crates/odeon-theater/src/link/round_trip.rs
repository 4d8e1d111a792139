//! How long a round trip takes, and so when to send again (RFC 6298).

use std::time::Duration;

#[derive(Debug)]
pub(super) struct RoundTrip {
    least: Duration,
    greatest: Duration,
    /// Smoothed time, and its smoothed deviation.
    measured: Option<(Duration, Duration)>,
    /// How often in a row the time ran out.
    ran_out: u32,
}

impl RoundTrip {
    pub(super) fn new((least, greatest): (Duration, Duration)) -> Self {
        Self { least, greatest, measured: None, ran_out: 0 }
    }

    pub(super) fn sample(&mut self, sample: Duration) {
        self.measured = Some(match self.measured {
            None => (sample, sample / 2),
            Some((mean, deviation)) => (
                (mean.saturating_mul(7).saturating_add(sample)) / 8,
                (deviation.saturating_mul(3).saturating_add(mean.abs_diff(sample))) / 4,
            ),
        });
    }

    /// After how long without an acknowledgement bodies count as lost. Doubles each time that it
    /// runs out.
    pub(super) fn time_out(&self) -> Duration {
        let base = self.measured.map_or(self.greatest, |(mean, deviation)| {
            mean.saturating_add(deviation.saturating_mul(4))
        });
        let doubled = base.max(self.least).saturating_mul(1 << self.ran_out.min(16));
        doubled.clamp(self.least, self.greatest)
    }

    pub(super) fn ran_out(&mut self) {
        self.ran_out = self.ran_out.saturating_add(1);
    }

    /// Something was acknowledged, or the other side is heard again.
    pub(super) fn goes_on(&mut self) {
        self.ran_out = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn follows_the_measured_times_within_its_bounds() {
        let mut trip = RoundTrip::new((ms(20), ms(500)));
        assert_eq!(trip.time_out(), ms(500), "nothing is known yet");
        trip.sample(ms(40));
        assert_eq!(trip.time_out(), ms(40 + 4 * 20));
        (0..100).for_each(|_| trip.sample(ms(40)));
        assert!((ms(40)..ms(45)).contains(&trip.time_out()));
        (0..100).for_each(|_| trip.sample(ms(1)));
        assert_eq!(trip.time_out(), ms(20));
        (0..100).for_each(|_| trip.sample(ms(5000)));
        assert_eq!(trip.time_out(), ms(500));
    }

    #[test]
    fn doubles_until_something_is_acknowledged() {
        let mut trip = RoundTrip::new((ms(20), ms(500)));
        (0..100).for_each(|_| trip.sample(ms(1)));
        let times: Vec<_> = (0..7)
            .map(|_| {
                trip.ran_out();
                trip.time_out()
            })
            .collect();
        assert_eq!(times, [40, 80, 160, 320, 500, 500, 500].map(ms));
        trip.goes_on();
        assert_eq!(trip.time_out(), ms(20));
    }
}
