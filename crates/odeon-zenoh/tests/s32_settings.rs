//! S32: what is set up wrongly is said when a theater joins.

use odeon_core::Theater;
use odeon_zenoh::{Tls, ZenohSettings, join};
use std::fs;

use crate::support::authority::Authority;

#[test]
fn s32_a_file_of_certificates_that_is_not_there_or_holds_none_is_an_error() {
    let ours = Authority::new("files");
    let theater = Theater::builder().workers(1).build().unwrap();
    let refused = |tls: Tls| {
        // Nobody is there: only connections would show what is wrong.
        let connect = vec!["tls/localhost:1".to_owned()];
        let settings = ZenohSettings { connect, tls: Some(tls), ..Default::default() };
        join(&theater, "safe", &settings).err().expect("it is wrong").to_string()
    };
    let right = ours.certify("right");
    let missing = ours.folder.join("missing.pem");
    let no_authority = refused(Tls { authority: missing.clone(), ..right.clone() });
    assert!(
        no_authority.starts_with(&format!("the authority's certificate, {}: ", missing.display())),
        "{no_authority}"
    );
    assert!(refused(Tls { certificate: missing.clone(), ..right.clone() }).contains("missing.pem"));
    assert!(refused(Tls { key: missing, ..right.clone() }).contains("missing.pem"));
    let text = ours.folder.join("text");
    fs::write(&text, "no certificate").unwrap();
    let none = refused(Tls { authority: text, ..right.clone() });
    assert!(none.contains("holds none in PEM"), "{none}");
    let exchanged = refused(Tls { key: right.certificate.clone(), ..right });
    assert!(exchanged.starts_with("the private key, "), "{exchanged}");
}
