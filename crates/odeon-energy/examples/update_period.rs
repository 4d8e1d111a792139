//! How often this machine's energy counters are really brought up to date, beside what the bounds
//! of figures assume.
//!
//! `cargo run --release -p odeon-energy --example update_period`

use std::time::{Duration, Instant};

use odeon_energy::{Machine, Meter};

/// For how long each counter is looked at, again and again.
const LOOK: Duration = Duration::from_secs(3);

fn main() {
    let Machine { mut meter, missing, .. } = Machine::look();
    for why in missing {
        println!("{why}");
    }
    let domains = meter.domains().to_vec();
    for (number, domain) in domains.iter().enumerate() {
        match periods(&mut meter, number) {
            Ok((mut periods, joules, seconds)) if periods.len() > 1 => {
                periods.sort_unstable();
                let (median, longest) = (periods[periods.len() / 2], periods[periods.len() - 1]);
                println!(
                    "{domain}: {} updates, {median:.1?} apart, {longest:.1?} at most; assumed: {:.1?}; {:.1} W, at most {:.0} W assumed",
                    periods.len(),
                    domain.updated_every,
                    joules / seconds,
                    domain.peak_watts,
                );
            }
            Ok(_) => println!("{domain}: it does not move"),
            Err(why) => println!("{domain}: {why}"),
        }
    }
}

/// The times between changes, and what was drawn from the first to the last of them.
fn periods(
    meter: &mut impl Meter,
    domain: usize,
) -> Result<(Vec<Duration>, f64, f64), odeon_energy::Unavailable> {
    let begun = Instant::now();
    let mut shown = meter.count(domain)?.joules;
    let (mut periods, mut first, mut changed) = (Vec::new(), None, begun);
    while begun.elapsed() < LOOK {
        let now = meter.count(domain)?.joules;
        if now != shown {
            let at = Instant::now();
            match first {
                None => first = Some((at, now)),
                Some(_) => periods.push(at - changed),
            }
            (shown, changed) = (now, at);
        }
    }
    let (at, joules) = first.unwrap_or((begun, shown));
    Ok((periods, shown - joules, (changed - at).as_secs_f64().max(1e-9)))
}
