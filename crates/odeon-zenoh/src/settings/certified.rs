//! With certificates nobody comes in by a way on which none are shown, whoever has set that way up.

use serde_json::Value;
use zenoh::Config;

use crate::ZenohError;

/// The protocols of Zenoh by which both sides show certificates.
const PROTOCOLS: [&str; 2] = ["tls", "quic"];

const ALLOWED: &str = "transport/link/protocols";
const SHOWN_BY_BOTH: &str = "transport/link/tls/enable_mtls";

/// Refuses endpoints by which no certificates are shown, and has Zenoh refuse them that others tell
/// of.
///
/// What is looked at is what Zenoh has been told in the end, so that it does not matter who has
/// said it.
pub(super) fn certified_only(config: &mut Config) -> Result<(), ZenohError> {
    for key in ["listen/endpoints", "connect/endpoints"] {
        for endpoint in strings(&said(config, key)?) {
            check(&endpoint).map_err(|because| refused(key, &endpoint, because))?;
        }
    }
    if said(config, SHOWN_BY_BOTH)? != Value::Bool(true) {
        return Err(refused(SHOWN_BY_BOTH, "false", "there are certificates to be shown"));
    }
    let allowed = said(config, ALLOWED)?;
    if allowed.is_null() {
        let protocols = Value::from(PROTOCOLS.to_vec()).to_string();
        let set = config.insert_json5(ALLOWED, &protocols);
        return set.map_err(|error| ZenohError::settings(ALLOWED, &*error));
    }
    match strings(&allowed).iter().find(|protocol| !PROTOCOLS.contains(&protocol.as_str())) {
        Some(other) => Err(refused(ALLOWED, other, SHOWS_NONE)),
        None => Ok(()),
    }
}

const SHOWS_NONE: &str = "who comes by it shows no certificate, and there are some: tls/ or quic/";

fn check(endpoint: &str) -> Result<(), &'static str> {
    let protocol = endpoint.split_once('/').map(|(protocol, _)| protocol);
    if !protocol.is_some_and(|protocol| PROTOCOLS.contains(&protocol)) {
        return Err(SHOWS_NONE);
    }
    // What an endpoint says of itself goes before the configuration.
    let its_own = endpoint.split_once('#').map_or("", |(_, its_own)| its_own);
    match its_own.split(';').any(|parameter| parameter.starts_with("enable_mtls")) {
        true => Err("whether certificates are shown is not for an endpoint to say"),
        false => Ok(()),
    }
}

fn refused(key: &str, what: &str, because: &str) -> ZenohError {
    ZenohError::refused(format!("the setting {key}, {what}"), because)
}

fn said(config: &Config, key: &str) -> Result<Value, ZenohError> {
    let said = config.get_json(key).map_err(|error| ZenohError::settings(key, &*error))?;
    serde_json::from_str(&said).map_err(|error| ZenohError::settings(key, &error))
}

/// All strings in it, however deep: endpoints may differ by mode, and come in groups.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(string) => vec![string.clone()],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Tls, ZenohError, ZenohSettings};
    use zenoh::Config;

    fn settings() -> ZenohSettings {
        let [authority, certificate, key] = ["authority", "certificate", "key"].map(Into::into);
        let tls = Some(Tls { authority, certificate, key });
        ZenohSettings { listen: vec!["tls/[::]:0".into()], tls, ..ZenohSettings::default() }
    }

    fn with(more: &[(&str, &str)]) -> Result<Config, ZenohError> {
        let more = more.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        ZenohSettings { more, ..settings() }.to_config()
    }

    #[track_caller]
    fn is_refused(made: Result<Config, ZenohError>, named: &str) {
        let refused = made.expect_err(named).to_string();
        assert!(refused.contains(named), "{refused}");
    }

    #[test]
    fn endpoints_without_certificates_are_refused_beside_certificates() {
        let endpoints = ["tcp/127.0.0.1:7447", "udp/[::]:0", "tls"].map(String::from);
        for endpoint in endpoints {
            let both = vec!["tls/localhost:7447".to_string(), endpoint.clone()];
            let listen = ZenohSettings { listen: both.clone(), ..settings() };
            is_refused(listen.to_config(), &endpoint);
            let connect = ZenohSettings { connect: both, ..settings() };
            is_refused(connect.to_config(), &endpoint);
        }
        let unasked = "tls/[::]:0#enable_mtls=false".to_string();
        let listen = ZenohSettings { listen: vec![unasked.clone()], ..settings() };
        is_refused(listen.to_config(), &unasked);
        assert!(settings().to_config().is_ok());
        let connect = vec!["quic/localhost:7447".into(), "tls/localhost:7447#iface=lo".into()];
        assert!(ZenohSettings { connect, ..settings() }.to_config().is_ok());
        let connect = vec!["tcp/127.0.0.1:7447".into()];
        assert!(ZenohSettings { connect, tls: None, ..settings() }.to_config().is_ok());
    }

    #[test]
    fn what_is_said_in_zenohs_own_words_is_refused_too() {
        for (key, value, named) in [
            ("listen/endpoints", "{ router: [], peer: ['tcp/[::]:0'] }", "tcp/[::]:0"),
            ("listen", "{ endpoints: ['tcp/[::]:0'] }", "tcp/[::]:0"),
            ("connect/endpoints", "['tls/localhost:1', 'tcp/localhost:2']", "tcp/localhost:2"),
            ("transport/link/protocols", "['tls', 'tcp']", "tcp"),
            ("transport/link/tls/enable_mtls", "false", "enable_mtls"),
        ] {
            is_refused(with(&[(key, value)]), named);
        }
        let config = with(&[("transport/link/protocols", "['tls']")]).unwrap();
        assert_eq!(config.get_json("transport/link/protocols").unwrap(), r#"["tls"]"#);
    }

    #[test]
    fn zenoh_itself_uses_no_way_without_certificates_of_which_others_tell() {
        let config = with(&[]).unwrap();
        assert_eq!(config.get_json("transport/link/protocols").unwrap(), r#"["tls","quic"]"#);
        let without = ZenohSettings { tls: None, ..settings() }.to_config().unwrap();
        assert_eq!(without.get_json("transport/link/protocols").unwrap(), "null");
    }
}
