//! What is said in Zenoh's own words, and would have it panic on a thread where nobody is told.

use serde_json::Value;
use zenoh::Config;

use crate::ZenohError;

/// How often something is sent to others within a lease.
const KEEP_ALIVE: &str = "transport/link/tx/keep_alive";

/// Refuses numbers by which Zenoh panics.
pub(super) fn can_be_done(config: &Config) -> Result<(), ZenohError> {
    let said = config.get_json(KEEP_ALIVE);
    let said = said.map_err(|error| ZenohError::settings(KEEP_ALIVE, &*error))?;
    let said: Value =
        serde_json::from_str(&said).map_err(|error| ZenohError::settings(KEEP_ALIVE, &error))?;
    // A lease is divided by its lower 32 bits.
    if said.as_u64().is_none_or(|times| times as u32 != 0) {
        return Ok(());
    }
    let because = "it is at least 1, and below 4,294,967,296";
    Err(ZenohError::refused(format!("the setting {KEEP_ALIVE}, {said}"), because))
}
