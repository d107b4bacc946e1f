//! Making a bundle.

use std::io::{Read, Write};

use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha256};

use super::read::copy;
use super::{BundleError, HEADER_MAX, Header, MAGIC, VERSION};

/// Size and SHA-256 of what can be read: what a [`Part`](super::Part) says of it. It is streamed.
///
/// # Errors
///
/// If it can't be read.
pub fn checksum(mut from: impl Read) -> Result<(u64, [u8; 32]), BundleError> {
    copy(&mut from, &mut std::io::sink(), u64::MAX)
}

/// Writes a bundle: the header, signed if there is a key, then each part as `open` gives it.
///
/// # Errors
///
/// If a part is not what the header says of it, or something can't be read or written. What has
/// been written by then is no bundle.
///
/// ```
/// use lineside_line::bundle::{Header, Part, Reader, checksum, write};
///
/// let text = b"# a line without jobs\n";
/// let (size, sha256) = checksum(&text[..]).unwrap();
/// let part = Part { path: "line.toml".into(), size, sha256, executable: false };
/// let header = Header::new(vec![part]).unwrap();
/// let mut bundle = Vec::new();
/// write(&mut bundle, header, None, |_| Ok(&text[..])).unwrap();
///
/// let mut reader = Reader::open(&bundle[..]).unwrap();
/// let mut line = Vec::new();
/// reader.next_part(&mut line).unwrap();
/// reader.finish().unwrap();
/// assert_eq!(line, text);
/// ```
pub fn write<R: Read>(
    mut out: impl Write,
    mut header: Header,
    key: Option<&SigningKey>,
    mut open: impl FnMut(&str) -> std::io::Result<R>,
) -> Result<(), BundleError> {
    header.signer = key.map(|key| key.verifying_key().to_bytes());
    let encoded = postcard::to_allocvec(&header).map_err(|_| BundleError::Header)?;
    let length = u32::try_from(encoded.len()).unwrap_or(u32::MAX);
    if length > HEADER_MAX {
        return Err(BundleError::HeaderTooLong(length));
    }
    let mut start = seal(&encoded);
    if let Some(key) = key {
        let signature = key.sign(&start).to_bytes();
        start.extend_from_slice(&signature);
    }
    out.write_all(&start).map_err(BundleError::Write)?;
    for part in &header.parts {
        let mut from = open(&part.path).map_err(BundleError::Read)?;
        // One byte more than there should be is enough to see that there are more.
        let copied = copy(&mut from, &mut out, part.size.saturating_add(1))?;
        if copied != (part.size, part.sha256) {
            return Err(BundleError::Changed(part.path.clone()));
        }
    }
    out.flush().map_err(BundleError::Write)
}

/// A header with what stands before it.
pub(super) fn seal(header: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(super::PREFIX + header.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    // Its length was checked, or is that of a test.
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(header));
    bytes.extend_from_slice(header);
    bytes
}

/// Bytes that only fail to be a bundle for what is in their header: for fuzzers.
#[doc(hidden)]
pub fn sealed(header: &[u8], parts: &[u8]) -> Vec<u8> {
    let mut bytes = seal(header);
    bytes.extend_from_slice(parts);
    bytes
}
