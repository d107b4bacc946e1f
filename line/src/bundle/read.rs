//! Reading a bundle, from its beginning to its end.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};

use super::{BundleError, HEADER_MAX, Header, MAGIC, PREFIX, Part, VERSION};

/// A bundle that is being read.
///
/// The header has been checked when there is a reader, signature included, if there is one. Of a
/// part nothing can be relied upon until the call that reads it has returned without an error.
///
/// See [`write`](super::write()) for an example.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    header: Header,
    /// Where the first part begins.
    begin: u64,
    /// The part that stands where `from` is.
    next: usize,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it.
    pub fn open(mut from: R) -> Result<Reader<R>, BundleError> {
        let mut prefix = [0; PREFIX];
        let read = fill(&mut from, &mut prefix)?;
        if !prefix[..read].starts_with(&MAGIC) {
            // A beginning of a bundle is one that is cut short.
            let begun = read < MAGIC.len() && read > 0 && MAGIC.starts_with(&prefix[..read]);
            return Err(if begun { BundleError::CutShort } else { BundleError::NotABundle });
        }
        if read < 10 {
            return Err(BundleError::CutShort);
        }
        let version = u16::from_le_bytes([prefix[8], prefix[9]]);
        if version != VERSION {
            return Err(BundleError::Version(version));
        }
        if read < PREFIX {
            return Err(BundleError::CutShort);
        }
        let length = u32::from_le_bytes([prefix[10], prefix[11], prefix[12], prefix[13]]);
        if length > HEADER_MAX {
            return Err(BundleError::HeaderTooLong(length));
        }
        let mut encoded = Vec::new();
        from.by_ref()
            .take(u64::from(length))
            .read_to_end(&mut encoded)
            .map_err(BundleError::Read)?;
        if encoded.len() < length as usize {
            return Err(BundleError::CutShort);
        }
        if Sha256::digest(&encoded)[..] != prefix[14..] {
            return Err(BundleError::HeaderChecksum);
        }
        let header = decode(&encoded)?;
        let mut begin = PREFIX as u64 + u64::from(length);
        if let Some(signer) = &header.signer {
            check_signature(&mut from, signer, &[&prefix[..], &encoded].concat())?;
            begin += Signature::BYTE_SIZE as u64;
        }
        Ok(Reader { from, header, begin, next: 0 })
    }

    /// What is in the bundle.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Refuses the bundle unless it is signed with this key.
    ///
    /// # Errors
    ///
    /// [`BundleError::Untrusted`].
    pub fn require(&self, key: &VerifyingKey) -> Result<(), BundleError> {
        match self.header.signer() {
            Some(signer) if signer == key.as_bytes() => Ok(()),
            Some(_) | None => Err(BundleError::Untrusted),
        }
    }

    /// Copies the next part; none if there was none left.
    ///
    /// # Errors
    ///
    /// If it is damaged or cut short, or can't be read or written. What was written is worthless.
    pub fn next_part(&mut self, mut out: impl Write) -> Result<Option<&Part>, BundleError> {
        let Some(part) = self.header.parts.get(self.next) else { return Ok(None) };
        self.next += 1;
        let (size, sha256) = copy(&mut self.from, &mut out, part.size)?;
        if size < part.size {
            return Err(BundleError::CutShort);
        }
        out.flush().map_err(BundleError::Write)?;
        if sha256 != part.sha256 {
            return Err(BundleError::PartChecksum(part.path.clone()));
        }
        Ok(Some(part))
    }

    /// Reads all parts that are left, and checks that nothing is behind them.
    ///
    /// # Errors
    ///
    /// As [`next_part`](Reader::next_part); or that there is something.
    pub fn finish(mut self) -> Result<Header, BundleError> {
        while self.next_part(io::sink())?.is_some() {}
        match fill(&mut self.from, &mut [0])? {
            0 => Ok(self.header),
            _ => Err(BundleError::TooLong),
        }
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Goes to a part, to be read next.
    ///
    /// # Errors
    ///
    /// If it can't be gone to.
    ///
    /// # Panics
    ///
    /// If there is no such part.
    pub fn seek(&mut self, part: usize) -> Result<(), BundleError> {
        let before = self.header.parts[..part].iter().map(|part| part.size).sum::<u64>();
        let at = self.begin.saturating_add(before);
        self.from.seek(SeekFrom::Start(at)).map_err(BundleError::Read)?;
        self.next = part;
        Ok(())
    }

    /// Checks that the bundle is as long as its header says, without reading the parts.
    ///
    /// # Errors
    ///
    /// If it is longer or shorter.
    pub fn check_length(&mut self) -> Result<(), BundleError> {
        let at = self.from.stream_position().map_err(BundleError::Read)?;
        let end = self.from.seek(SeekFrom::End(0)).map_err(BundleError::Read)?;
        self.from.seek(SeekFrom::Start(at)).map_err(BundleError::Read)?;
        match end.cmp(&self.begin.saturating_add(self.header.size())) {
            std::cmp::Ordering::Less => Err(BundleError::CutShort),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(BundleError::TooLong),
        }
    }
}

fn decode(encoded: &[u8]) -> Result<Header, BundleError> {
    let (header, rest) =
        postcard::take_from_bytes::<Header>(encoded).map_err(|_| BundleError::Header)?;
    if !rest.is_empty() {
        return Err(BundleError::Header);
    }
    header.check()?;
    Ok(header)
}

fn check_signature(
    from: &mut impl Read,
    signer: &[u8; 32],
    signed: &[u8],
) -> Result<(), BundleError> {
    let mut signature = [0; Signature::BYTE_SIZE];
    if fill(from, &mut signature)? < signature.len() {
        return Err(BundleError::CutShort);
    }
    let key = VerifyingKey::from_bytes(signer).map_err(|_| BundleError::Signature)?;
    key.verify_strict(signed, &Signature::from_bytes(&signature))
        .map_err(|_| BundleError::Signature)
}

/// Reads until the buffer is full or nothing is left; says how much there was.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<usize, BundleError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(BundleError::Read(error)),
        }
    }
    Ok(filled)
}

/// Copies so many bytes at most; says how many there were, and their checksum.
pub(super) fn copy(
    from: &mut impl Read,
    out: &mut impl Write,
    most: u64,
) -> Result<(u64, [u8; 32]), BundleError> {
    let mut buffer = vec![0; 1 << 16];
    let mut digest = Sha256::new();
    let mut copied = 0;
    while copied < most {
        let length = usize::try_from(most - copied).unwrap_or(usize::MAX).min(buffer.len());
        let read = fill(from, &mut buffer[..length])?;
        digest.update(&buffer[..read]);
        out.write_all(&buffer[..read]).map_err(BundleError::Write)?;
        copied += read as u64;
        if read < length {
            break;
        }
    }
    Ok((copied, digest.finalize().into()))
}
