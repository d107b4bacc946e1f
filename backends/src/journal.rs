//! The journal of a run: what has to be known to go on after the runner was killed.
//!
//! No I/O here: [`encode`] makes bytes to be appended to a file, [`read`] takes the bytes of a
//! whole file. A journal is a row of frames. A frame has a mark, a length, a checksum and a
//! [`Record`]. Whatever cuts a write short leaves a torn frame at the end, which is cut off; a
//! frame that is damaged and has sound ones behind it is a fault, and the journal is refused.

mod history;
mod images;
mod record;

use alloc::vec::Vec;
use core::fmt;

pub use history::{Failing, History, Impossible, JobHistory, OpenLease};
pub use images::ImageSet;
pub use record::{EndOfJob, JobKey, Record, UnitKey};

/// What each frame begins with.
const MARK: [u8; 4] = [0x9c, b'L', b'j', b'1'];

/// Mark, length and checksum.
const HEADER: usize = 12;

/// Bytes of a record at most. That of a session is the largest: a million jobs fit.
const RECORD_MAX: usize = 1 << 28;

/// What a journal says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// In the order in which they were written.
    pub records: Vec<Record>,
    /// What they come to.
    pub history: History,
    /// So many bytes are sound. What is behind them is the torn end of a write.
    pub sound: usize,
}

/// Why a journal is refused.
///
/// ```
/// use lineside_backends::journal::{Damage, read};
/// assert_eq!(read(b"something else"), Err(Damage::NoJournal));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The file is none.
    NoJournal,
    /// A frame is damaged, and sound ones stand behind it.
    Frame {
        /// Where it begins.
        at: usize,
    },
    /// A record contradicts those before it.
    Record {
        /// Where its frame begins.
        at: usize,
        /// What it says that can't be.
        what: Impossible,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NoJournal => write!(f, "it is not the journal of a run"),
            Damage::Frame { at } => write!(f, "it is damaged at byte {at}"),
            Damage::Record { at, what } => write!(f, "at byte {at} it says that {what}"),
        }
    }
}

/// Adds a record, as it stands in the file.
///
/// ```
/// use lineside_backends::journal::{Record, encode, read};
/// let mut bytes = Vec::new();
/// encode(&Record::Closed { t: 7 }, &mut bytes);
/// assert_eq!(read(&bytes).unwrap().records, [Record::Closed { t: 7 }]);
/// // A write that was cut short is no fault.
/// assert_eq!(read(&bytes[..bytes.len() - 1]).unwrap().sound, 0);
/// ```
pub fn encode(record: &Record, bytes: &mut Vec<u8>) {
    // It fails for types that don't know their length, of which there is none.
    let payload = postcard::to_allocvec(record).unwrap_or_default();
    seal(&payload, bytes);
}

/// Adds a frame around an encoded record, whatever is in it.
pub fn seal(payload: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&MARK);
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
}

/// Reads a whole journal.
///
/// # Errors
///
/// [`Damage`], if it can't be trusted.
pub fn read(bytes: &[u8]) -> Result<Journal, Damage> {
    let mut journal = Journal::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let Some((record, length)) = frame(rest) else {
            return match what_stands_behind(rest) {
                Behind::Nothing if at == 0 && !may_be_torn(rest) => Err(Damage::NoJournal),
                Behind::Nothing => Ok(journal),
                Behind::Frames => Err(Damage::Frame { at }),
            };
        };
        journal.history.take(&record).map_err(|what| Damage::Record { at, what })?;
        journal.records.push(record);
        rest = &rest[length..];
        journal.sound = at + length;
    }
    Ok(journal)
}

/// The record at the beginning, and how long its frame is.
fn frame(bytes: &[u8]) -> Option<(Record, usize)> {
    let payload = bytes.strip_prefix(&MARK)?;
    let (length, payload) = payload.split_first_chunk::<4>()?;
    let (sum, payload) = payload.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let payload = payload.get(..length).filter(|_| length <= RECORD_MAX)?;
    if crc32fast::hash(payload) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (record, left) = postcard::take_from_bytes(payload).ok()?;
    left.is_empty().then_some((record, HEADER + length))
}

enum Behind {
    Nothing,
    Frames,
}

/// Does a sound frame stand anywhere behind what is not one?
fn what_stands_behind(bytes: &[u8]) -> Behind {
    /// Bytes that are summed up at most, so that no file takes for ever. One that takes more is no
    /// torn end of a write.
    const WORK_MAX: usize = 1 << 28;
    let mut work = 0usize;
    for at in 1..bytes.len() {
        if !bytes[at..].starts_with(&MARK) {
            continue;
        }
        let length = bytes.get(at + 4..at + 8).and_then(|length| length.first_chunk());
        work += length.map_or(0, |length| u32::from_le_bytes(*length) as usize).min(bytes.len());
        if work > WORK_MAX || frame(&bytes[at..]).is_some() {
            return Behind::Frames;
        }
    }
    Behind::Nothing
}

/// A first write that was cut short.
fn may_be_torn(bytes: &[u8]) -> bool {
    let length = bytes.len().min(MARK.len());
    bytes[..length] == MARK[..length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn some_records() -> Vec<Record> {
        let job = |name: &str| JobKey { name: name.to_string(), key: 7, images: 3 };
        let unit = UnitKey { name: "gpu0".to_string(), slots: 1 };
        let mut records = alloc::vec![Record::Session {
            run: "r".to_string(),
            runner: crate::host::Identity { pid: 1, started: 2, boot: "b".to_string() },
            jobs: [job("a"), job("b")].into(),
            units: [unit].into(),
        }];
        for (lease, image) in (0..3).zip(0..) {
            records.push(Record::Grant { t: lease, lease, job: 0, units: [0].into() });
            records.push(Record::Start { t: lease, lease, job: 0, first: image, count: 1 });
            records.push(Record::Done { t: lease, lease, job: 0, first: image, count: 1 });
            records.push(Record::Release { t: lease, lease });
        }
        records
    }

    fn encoded(records: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| encode(record, &mut bytes));
        bytes
    }

    #[test]
    fn a_journal_cut_anywhere_is_its_first_records() {
        let records = some_records();
        let bytes = encoded(&records);
        for cut in 0..=bytes.len() {
            let journal = read(&bytes[..cut]).expect("a torn end is no damage");
            let count = journal.records.len();
            assert_eq!(journal.records, records[..count]);
            assert_eq!(encoded(&records[..count]).len(), journal.sound);
            assert!(cut - journal.sound < bytes.len());
        }
    }

    #[test]
    fn one_changed_byte_is_damage_with_its_place_or_a_torn_end() {
        let records = some_records();
        let bytes = encoded(&records);
        let last = encoded(&records[..records.len() - 1]).len();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            match read(&changed) {
                Ok(journal) => {
                    assert!(at >= last, "byte {at}");
                    assert_eq!(journal.records, records[..records.len() - 1]);
                }
                Err(Damage::Frame { at: place }) => assert!(place <= at && at < last, "byte {at}"),
                Err(other) => panic!("byte {at}: {other}"),
            }
        }
    }

    #[test]
    fn a_record_that_cannot_be_is_refused_with_its_place() {
        let mut records = some_records();
        let before = encoded(&records).len();
        records.push(Record::Release { t: 9, lease: 99 });
        let what = Impossible::UnknownLease(99);
        assert_eq!(read(&encoded(&records)), Err(Damage::Record { at: before, what }));
        records.pop();
        for lease in [7, 8] {
            records.push(Record::Grant { t: 9, lease, job: 0, units: [0].into() });
        }
        let refused = read(&encoded(&records)).expect_err("the unit is leased twice");
        assert!(matches!(refused, Damage::Record { what: Impossible::Overleased(0), .. }));
    }

    #[test]
    fn an_empty_file_is_a_journal_and_another_is_none() {
        assert_eq!(read(b"").expect("nothing is torn off").records, []);
        assert_eq!(read(b"[line]\nname = \"x\"\n"), Err(Damage::NoJournal));
    }
}
