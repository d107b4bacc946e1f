//! Why a bundle is refused.

use std::fmt;
use std::io;

use super::{HEADER_MAX, VERSION};

/// Why a bundle is refused, or could not be made.
///
/// ```
/// use lineside_line::bundle::{BundleError, Reader};
///
/// let error = Reader::open(&b"[[job]]"[..]).unwrap_err();
/// assert!(matches!(error, BundleError::NotABundle));
/// assert_eq!(error.code(), "not-a-bundle");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum BundleError {
    /// It does not begin as bundles do.
    NotABundle,
    /// Its version is not one that can be read.
    Version(u16),
    /// Its header is longer than any may be.
    HeaderTooLong(u32),
    /// It ends before its end.
    CutShort,
    /// There is something behind its end.
    TooLong,
    /// The checksum of the header is not that of its bytes.
    HeaderChecksum,
    /// The header is not one, though its checksum is right.
    Header,
    /// No part, and so no line file.
    NoLine,
    /// A path that is not allowed, and why.
    Path(String, &'static str),
    /// Two paths that are one file on some system.
    Clash(String, String),
    /// A part that stands where another belongs.
    Order(String),
    /// Sizes beyond 64 bits together.
    Sizes,
    /// The checksum of a part is not that of its bytes.
    PartChecksum(String),
    /// A file that has changed while it was packed.
    Changed(String),
    /// The signature is not of the key that the bundle names.
    Signature,
    /// It is not signed, or by another key.
    Untrusted,
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
}

impl BundleError {
    /// The stable name of the fault.
    pub fn code(&self) -> &'static str {
        match self {
            BundleError::NotABundle => "not-a-bundle",
            BundleError::Version(_) => "version",
            BundleError::HeaderTooLong(_) => "header-too-long",
            BundleError::CutShort => "cut-short",
            BundleError::TooLong => "too-long",
            BundleError::HeaderChecksum => "header-checksum",
            BundleError::Header => "header",
            BundleError::NoLine => "no-line",
            BundleError::Path(..) => "path",
            BundleError::Clash(..) => "clash",
            BundleError::Order(_) => "order",
            BundleError::Sizes => "sizes",
            BundleError::PartChecksum(_) => "part-checksum",
            BundleError::Changed(_) => "changed",
            BundleError::Signature => "signature",
            BundleError::Untrusted => "untrusted",
            BundleError::Read(_) => "read",
            BundleError::Write(_) => "write",
        }
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BundleError::NotABundle => write!(formatter, "it does not begin as a bundle does"),
            BundleError::Version(version) => {
                write!(formatter, "it has version {version}; this program reads {VERSION}")
            }
            BundleError::HeaderTooLong(length) => {
                write!(formatter, "its header has {length} bytes; {HEADER_MAX} are allowed")
            }
            BundleError::CutShort => write!(formatter, "it is cut short"),
            BundleError::TooLong => write!(formatter, "there is something behind its end"),
            BundleError::HeaderChecksum => {
                write!(formatter, "its header is damaged: the checksum is another")
            }
            BundleError::Header => write!(formatter, "its header makes no sense"),
            BundleError::NoLine => write!(formatter, "it has no line file"),
            BundleError::Path(path, why) => write!(formatter, "the path {path:?} {why}"),
            BundleError::Clash(one, other) => {
                write!(formatter, "{one:?} and {other:?} are one file on some systems")
            }
            BundleError::Order(path) => write!(formatter, "{path:?} stands in a wrong place"),
            BundleError::Sizes => write!(formatter, "its sizes are beyond 64 bits"),
            BundleError::PartChecksum(path) => {
                write!(formatter, "{path:?} is damaged: the checksum is another")
            }
            BundleError::Changed(path) => write!(formatter, "{path:?} has changed meanwhile"),
            BundleError::Signature => write!(formatter, "its signature is not that of its key"),
            BundleError::Untrusted => write!(formatter, "it is not signed with the key asked for"),
            BundleError::Read(error) => write!(formatter, "it can't be read: {error}"),
            BundleError::Write(error) => write!(formatter, "can't write: {error}"),
        }
    }
}

impl std::error::Error for BundleError {}
