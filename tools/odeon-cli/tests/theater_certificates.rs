//! `odeon theater` with certificates: who shows one of another authority is not let in, and that is
//! said on both sides.

use odeon_zenoh::Tls;

use crate::authority::Authority;
use crate::theater::{Cluster, Running, output};

fn options(tls: &Tls) -> String {
    let Tls { authority, certificate, key } = tls;
    let [authority, certificate, key] = [authority, certificate, key].map(|path| path.display());
    format!("--tls-authority {authority} --tls-certificate {certificate} --tls-key {key}")
}

/// A theater that asks for certificates, and how others reach it.
struct Safe {
    theater: Running,
    endpoint: String,
    cluster: String,
}

impl Safe {
    fn start(ours: &Authority) -> Self {
        let Cluster { name: cluster, endpoint } = Cluster::new();
        let endpoint = endpoint.replace("tcp/127.0.0.1", "tls/localhost");
        let tls = options(&ours.certify("first"));
        let line = format!("theater --name safe --listen {endpoint} --cluster {cluster} {tls}");
        Self { theater: Running::start(&line), endpoint, cluster }
    }

    fn reached_by(&self, tls: &Tls) -> String {
        format!("--connect {} --cluster {} {}", self.endpoint, self.cluster, options(tls))
    }

    /// Who has connected is told of, in words, and not by a place in sources.
    #[track_caller]
    fn complains(&mut self) {
        let said = self.theater.says();
        assert!(said.starts_with("refused somebody who has connected: "), "{said}");
        assert!(said.contains("certificate") && !said.contains(".rs:"), "{said}");
    }
}

#[test]
fn a_theater_with_certificates_of_another_authority_is_told_that_it_is_not_let_in() {
    let (ours, theirs) = (Authority::new("cli-ours"), Authority::new("cli-theirs"));
    let mut safe = Safe::start(&ours);
    let mut stranger =
        Running::start(&format!("theater --name b {}", safe.reached_by(&theirs.certify("b"))));
    let said = stranger.says();
    assert!(said.starts_with(&format!("not let in by {}", safe.endpoint)), "{said}");
    assert!(!said.contains(".rs:"), "{said}");
    safe.complains();
    drop(stranger);
    // Nobody of them was let in, and who has a certificate is.
    let ps = format!("theater ps --json --within 30 {}", safe.reached_by(&ours.certify("ps")));
    let (code, said, message) = output(&ps);
    assert_eq!(code, Some(0), "{said}{message}");
    assert_eq!(said.matches("\"name\"").count(), 1, "{said}");
    assert!(said.contains(&safe.theater.id), "{said}");
}

#[test]
fn a_command_with_certificates_of_another_authority_says_by_whom_it_is_not_let_in() {
    let (ours, theirs) = (Authority::new("cli-asked"), Authority::new("cli-asking"));
    let mut safe = Safe::start(&ours);
    // Trusts the authority of the theater, and has no certificate of it.
    let impostor = Tls { authority: ours.folder.join("authority.pem"), ..theirs.certify("c") };
    for tls in [theirs.certify("b"), impostor] {
        let (code, said, message) = output(&format!("theater ps {}", safe.reached_by(&tls)));
        assert_eq!((code, said.as_str()), (Some(1), ""), "{message}");
        let found = format!("no theater of the cluster was found within 2 s: {}", safe.endpoint);
        assert!(message.starts_with(&format!("error: {found}")), "{message}");
        assert!(!message.contains("nobody answers") && !message.contains(".rs:"), "{message}");
    }
    safe.complains();
}
