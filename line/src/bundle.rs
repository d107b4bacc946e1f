//! A line and all that it needs, in one file: the bundle.
//!
//! ```text
//! "LINESIDE"                      8 bytes
//! version                         2 bytes, little-endian
//! length of the header            4 bytes, little-endian
//! SHA-256 of the header          32 bytes
//! header, in postcard             what is in the bundle: path, size and SHA-256 of each part
//! signature, if there is one     64 bytes, Ed25519 over all before it
//! the parts, one after the other
//! ```
//!
//! Nothing stands between the parts, before the first or behind the last, so that every byte is
//! covered by a checksum. The first part is the line file. The same files give the same bytes.
//!
//! Reading trusts nothing: lengths are bounded before memory is asked for, paths are checked before
//! anybody sees them (see [`check_path`]), and what is handed on has been read through its
//! checksum. Parts are streamed: a bundle of any size takes the memory of its header.

mod error;
mod path;
mod read;
mod write;

use serde::{Deserialize, Serialize};

pub use error::BundleError;
pub use path::check_path;
pub use read::Reader;
#[doc(hidden)]
pub use write::sealed;
pub use write::{checksum, write};

pub use ed25519_dalek::{SigningKey, VerifyingKey};

/// How every bundle begins.
pub const MAGIC: [u8; 8] = *b"LINESIDE";

/// The version of the format that is written, and the one that is read.
pub const VERSION: u16 = 1;

/// A header may have so many bytes.
pub const HEADER_MAX: u32 = 16 << 20;

/// Magic, version, length of the header, checksum of the header.
const PREFIX: usize = 8 + 2 + 4 + 32;

/// What is in a bundle.
///
/// ```
/// use lineside_line::bundle::{Header, Part, checksum};
///
/// let (size, sha256) = checksum(&b"# a line"[..]).unwrap();
/// let line = Part { path: "line.toml".into(), size, sha256, executable: false };
/// assert!(Header::new(vec![line.clone()]).is_ok());
/// assert!(Header::new(vec![Part { path: "../line.toml".into(), ..line }]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    parts: Vec<Part>,
    signer: Option<[u8; 32]>,
}

/// One file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Relative to the folder of the line file, with `/` between its names.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Whether it can be run as a program.
    pub executable: bool,
}

impl Header {
    /// A header for these parts: the line file first, the others in any order.
    ///
    /// # Errors
    ///
    /// If there is none, a path is not allowed, or two of them are one file on some system.
    pub fn new(mut parts: Vec<Part>) -> Result<Header, BundleError> {
        if let Some((_, others)) = parts.split_first_mut() {
            others.sort_by(|a, b| a.path.cmp(&b.path));
        }
        let header = Header { parts, signer: None };
        header.check()?;
        Ok(header)
    }

    /// The line file first, then ascending by the bytes of their paths.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The line file.
    pub fn line(&self) -> &Part {
        // Without parts there is no header: see `check`.
        &self.parts[0]
    }

    /// The public key that the bundle says it was signed with. A [`Reader`] has checked that the
    /// signature is of that key, not that the key is anybody's whom you trust.
    pub fn signer(&self) -> Option<&[u8; 32]> {
        self.signer.as_ref()
    }

    /// Bytes of all parts.
    pub fn size(&self) -> u64 {
        self.parts.iter().fold(0, |size, part| size.saturating_add(part.size))
    }

    /// Where the part of that path is among the parts.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.path == path)
    }

    fn check(&self) -> Result<(), BundleError> {
        let Some((_, others)) = self.parts.split_first() else {
            return Err(BundleError::NoLine);
        };
        for part in &self.parts {
            path::check_path(&part.path)?;
        }
        if let Some(pair) = others.windows(2).find(|pair| pair[0].path >= pair[1].path) {
            return Err(BundleError::Order(pair[1].path.clone()));
        }
        path::check_clashes(self.parts.iter().map(|part| part.path.as_str()))?;
        let sizes = self.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.size));
        sizes.map(|_| ()).ok_or(BundleError::Sizes)
    }
}
