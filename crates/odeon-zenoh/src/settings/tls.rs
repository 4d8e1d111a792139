//! Certificates, and whether there are any.

use std::path::{Path, PathBuf};

use crate::ZenohError;

/// Certificates for TLS: both sides show one, and accept only those that the same authority has
/// signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate of the authority.
    pub authority: PathBuf,
    /// This theater's certificate, for the name under which others reach it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Tls {
    /// Whether the files are there, and hold what they should. WHY before Zenoh looks: it does so
    /// for each connection, and tells nobody.
    ///
    /// # Errors
    /// What is wrong with the first that is not, by its name.
    ///
    /// ```
    /// use odeon_zenoh::Tls;
    ///
    /// let [authority, certificate, key] = ["no/such/authority", "certificate", "key"].map(Into::into);
    /// let refused = Tls { authority, certificate, key }.check().unwrap_err();
    /// assert!(refused.to_string().starts_with("the authority's certificate, no/such/authority: "));
    /// ```
    pub fn check(&self) -> Result<(), ZenohError> {
        holds("the authority's certificate", &self.authority, "CERTIFICATE-----")?;
        holds("the certificate", &self.certificate, "CERTIFICATE-----")?;
        holds("the private key", &self.key, "PRIVATE KEY-----")
    }
}

fn holds(what: &str, path: &Path, ends: &str) -> Result<(), ZenohError> {
    let refused =
        |because: &str| ZenohError::refused(format!("{what}, {}", path.display()), because);
    if path.to_str().is_none() {
        return Err(refused("its name is not UTF-8, and Zenoh is told no other names"));
    }
    let text = std::fs::read(path).map_err(|error| refused(&error.to_string()))?;
    let is_there = String::from_utf8_lossy(&text)
        .lines()
        .any(|line| line.starts_with("-----BEGIN ") && line.trim_end().ends_with(ends));
    match is_there {
        true => Ok(()),
        false => Err(refused("the file holds none in PEM, text between -----BEGIN and -----END")),
    }
}
