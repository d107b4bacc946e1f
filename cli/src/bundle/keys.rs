//! Keys in files, as openssl writes them.

use std::fs;
use std::path::Path;

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{SigningKey, VerifyingKey};

use crate::Refusal;
use crate::words::printable;

pub(super) fn private(path: &Path) -> Result<SigningKey, Refusal> {
    SigningKey::from_pkcs8_pem(&text(path)?).map_err(|error| {
        let how = "openssl genpkey -algorithm ed25519 -out key.pem";
        not_a_key(path, "a private Ed25519 key in PKCS #8", &error.to_string(), how)
    })
}

pub(super) fn public(path: &Path) -> Result<VerifyingKey, Refusal> {
    VerifyingKey::from_public_key_pem(&text(path)?).map_err(|error| {
        let how = "openssl pkey -in key.pem -pubout -out public.pem";
        not_a_key(path, "a public Ed25519 key in PEM", &error.to_string(), how)
    })
}

fn text(path: &Path) -> Result<String, Refusal> {
    fs::read_to_string(path).map_err(|error| {
        let path = path.display().to_string();
        Refusal(format!("error: can't read the key {}: {error}", printable(&path)))
    })
}

fn not_a_key(path: &Path, what: &str, error: &str, how: &str) -> Refusal {
    let path = path.display().to_string();
    Refusal(format!("error: {} is not {what}: {error}\nhelp: `{how}` makes one", printable(&path)))
}
