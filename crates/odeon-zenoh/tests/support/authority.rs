//! Certificates for tests.

use odeon_zenoh::Tls;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::fs;
use std::path::PathBuf;

/// Certificates of one authority, in a folder of their own that goes with them.
pub struct Authority {
    pub folder: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("odeon-tls-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        fs::write(folder.join("authority.pem"), certificate.pem()).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    /// A certificate for `localhost`.
    pub fn certify(&self, name: &str) -> Tls {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".into()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let file = |what: &str| self.folder.join(format!("{name}-{what}.pem"));
        fs::write(file("certificate"), certificate.pem()).unwrap();
        fs::write(file("key"), key.serialize_pem()).unwrap();
        let authority = self.folder.join("authority.pem");
        Tls { authority, certificate: file("certificate"), key: file("key") }
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
