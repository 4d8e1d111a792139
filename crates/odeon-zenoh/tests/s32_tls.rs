//! S32: with certificates, who has none of the same authority is not let in.

use odeon_core::Theater;
use odeon_theater::Network;
use odeon_zenoh::{Tls, ZenohSettings, join};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

/// Certificates of one authority, in a folder of their own that goes with them.
struct Authority {
    folder: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Self {
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
    fn certify(&self, name: &str) -> Tls {
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

fn until(is_so: impl Fn() -> bool, patience: Duration) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn s32_who_shows_no_certificate_of_the_same_authority_is_not_let_in() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = vec![format!("tls/localhost:{port}")];
    let theater = Theater::builder().workers(1).build().unwrap();
    let place = |settings: ZenohSettings| -> Network { join(&theater, "safe", &settings).unwrap() };
    let first = place(ZenohSettings {
        listen: endpoint.clone(),
        tls: Some(ours.certify("first")),
        ..Default::default()
    });
    let stranger = place(ZenohSettings {
        connect: endpoint.clone(),
        tls: Some(theirs.certify("stranger")),
        ..Default::default()
    });
    // Trusts our authority, but has no certificate of it.
    let Tls { certificate, key, .. } = theirs.certify("impostor");
    let impostor = place(ZenohSettings {
        connect: endpoint.clone(),
        tls: Some(Tls { authority: ours.folder.join("authority.pem"), certificate, key }),
        ..Default::default()
    });
    let second = place(ZenohSettings {
        connect: endpoint,
        tls: Some(ours.certify("second")),
        ..Default::default()
    });
    assert!(until(|| !second.members().is_empty() && !first.members().is_empty(), LONG));
    // As long as the others took, which were the last to try.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(first.members().len(), 1);
    assert_eq!(first.members()[0].0, second.id());
    assert!(stranger.members().is_empty() && impostor.members().is_empty());
}

#[test]
fn s32_beside_certificates_no_way_is_opened_by_which_none_are_shown() {
    let ours = Authority::new("plain");
    let theater = Theater::builder().workers(1).build().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let plain = format!("tcp/127.0.0.1:{port}");
    let both = vec!["tls/localhost:0".to_owned(), plain.clone()];
    let tls = Some(ours.certify("first"));
    let settings = ZenohSettings { listen: both, tls, ..Default::default() };
    let refused = join(&theater, "safe", &settings).err().expect("anybody could come in by that");
    assert!(refused.to_string().contains(&plain), "{refused}");
    assert!(TcpListener::bind(("127.0.0.1", port)).is_ok(), "nobody listens there");
}
