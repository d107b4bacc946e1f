//! Bundles: what was packed comes out again, and nothing else ever does.

use std::io::{self, Cursor, Read};

use lineside_line::bundle::{
    BundleError, Header, Part, Reader, SigningKey, checksum, sealed, write,
};

const FILES: [(&str, &[u8]); 4] = [
    ("line.toml", b"[[job]]\nname = \"a\"\n"),
    ("models/detect.onnx", &[7; 3000]),
    ("run.py", b"print('hello')\n"),
    ("empty", b""),
];

fn part((path, bytes): (&str, &[u8])) -> Part {
    let (size, sha256) = checksum(bytes).expect("memory can be read");
    Part { path: path.to_owned(), size, sha256, executable: path == "run.py" }
}

fn bundle(key: Option<&SigningKey>) -> Vec<u8> {
    let header = Header::new(FILES.map(part).into()).expect("they are fine");
    let mut out = Vec::new();
    let open = |path: &str| {
        let file = FILES.iter().find(|(other, _)| *other == path);
        Ok(file.expect("one of them").1)
    };
    write(&mut out, header, key, open).expect("memory can be written");
    out
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

/// Reads all of it; the parts only if every one of them is sound.
fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, BundleError> {
    let mut reader = Reader::open(bytes)?;
    let mut parts = Vec::new();
    let mut content = Vec::new();
    while let Some(part) = reader.next_part(&mut content)? {
        parts.push((part.path.clone(), std::mem::take(&mut content)));
    }
    reader.finish()?;
    Ok(parts)
}

#[test]
fn what_was_packed_comes_out_again() {
    for key in [None, Some(key())] {
        let parts = read(&bundle(key.as_ref())).expect("it is sound");
        assert_eq!(parts.len(), FILES.len());
        for (path, bytes) in FILES {
            assert!(parts.iter().any(|(name, content)| name == path && content == bytes), "{path}");
        }
        assert_eq!(parts[0].0, "line.toml");
    }
}

#[test]
fn the_same_files_in_any_order_give_the_same_bytes() {
    let forwards = Header::new(FILES.map(part).into()).expect("they are fine");
    let mut parts: Vec<Part> = FILES.map(part).into();
    parts[1..].reverse();
    assert_eq!(Header::new(parts).expect("they are fine"), forwards);
    assert_eq!(bundle(Some(&key())), bundle(Some(&key())));
}

#[test]
fn a_changed_byte_anywhere_is_found() {
    for key in [None, Some(key())] {
        let good = bundle(key.as_ref());
        for at in 0..good.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                assert!(read(&bad).is_err(), "byte {at} ^ {flip}");
            }
        }
    }
}

#[test]
fn a_bundle_cut_at_any_length_and_one_that_goes_on_are_found() {
    let good = bundle(Some(&key()));
    for length in 0..good.len() {
        let error = read(&good[..length]).expect_err("it is cut short");
        let expected = if length == 0 { "not-a-bundle" } else { "cut-short" };
        assert_eq!(error.code(), expected, "at {length}");
    }
    let long = [&good[..], b"x"].concat();
    assert_eq!(read(&long).expect_err("it goes on").code(), "too-long");
    let mut reader = Reader::open(Cursor::new(&long)).expect("the header is sound");
    assert_eq!(reader.check_length().expect_err("it goes on").code(), "too-long");
}

#[test]
fn a_signature_is_of_the_key_and_of_the_bundle() {
    let (mine, other) = (key(), SigningKey::from_bytes(&[4; 32]));
    let good = bundle(Some(&mine));
    let reader = Reader::open(&good[..]).expect("it is sound");
    assert!(reader.require(&mine.verifying_key()).is_ok());
    assert!(reader.require(&other.verifying_key()).is_err());
    let plain = bundle(None);
    let unsigned = Reader::open(&plain[..]).expect("it is sound");
    assert_eq!(unsigned.require(&mine.verifying_key()).unwrap_err().code(), "untrusted");
    // The signature of one bundle on another.
    let foreign = bundle(Some(&other));
    let size: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut bad = good.clone();
    let signature = good.len() - size - 64..good.len() - size;
    bad[signature.clone()].copy_from_slice(&foreign[signature]);
    assert_eq!(read(&bad).unwrap_err().code(), "signature");
}

#[test]
fn hostile_paths_are_refused_written_or_read() {
    let line = part(FILES[0]);
    let hostile = ["../up", "/etc/passwd", "a/../../b", "C:/x", "a\\b", "nul", "LINE.toml", "a\0b"];
    for path in hostile {
        let part = Part { path: path.to_owned(), ..line.clone() };
        assert!(Header::new(vec![line.clone(), part.clone()]).is_err(), "{path:?}");
        // Somebody else's program may write anything.
        let parts: Vec<(&str, u64, [u8; 32], bool)> = [&line, &part]
            .map(|part| (part.path.as_str(), part.size, part.sha256, part.executable))
            .into();
        let header = postcard::to_allocvec(&(parts, None::<[u8; 32]>)).expect("it fits");
        let bytes = sealed(&header, &[FILES[0].1, FILES[0].1].concat());
        let code = read(&bytes).expect_err("it is hostile").code();
        assert!(["path", "clash"].contains(&code), "{path:?}: {code}");
    }
}

#[test]
fn a_header_that_lies_takes_no_memory_and_is_refused() {
    // So many parts, it says.
    let header = [0xff, 0xff, 0xff, 0xff, 0x0f, 1];
    assert_eq!(read(&sealed(&header, &[])).unwrap_err().code(), "header");
    let mut long = sealed(&[], &[]);
    long[10..14].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&long).unwrap_err().code(), "header-too-long");
    let (empty, behind) = ([0, 0], [0, 0, 9]);
    assert_eq!(read(&sealed(&empty, &[])).unwrap_err().code(), "no-line");
    assert_eq!(read(&sealed(&behind, &[])).unwrap_err().code(), "header");
    // Sizes that overflow when they are summed.
    let huge = part(FILES[0]);
    let parts = ["line.toml", "a"].map(|path| (path, u64::MAX, huge.sha256, false));
    let header = postcard::to_allocvec(&(&parts[..], None::<[u8; 32]>)).expect("it fits");
    assert_eq!(read(&sealed(&header, &[])).unwrap_err().code(), "sizes");
}

/// A file of any size that is nowhere.
struct Zeros(u64);

impl Read for Zeros {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
        buffer[..length].fill(0);
        self.0 -= length as u64;
        Ok(length)
    }
}

#[test]
fn a_file_that_changes_while_it_is_packed_is_noticed() {
    let (size, sha256) = checksum(Zeros(100_000)).expect("zeros can be read");
    let part = Part { path: "line.toml".to_owned(), size, sha256, executable: false };
    let header = Header::new(vec![part]).expect("it is fine");
    for now in [99_999, 100_001, u64::MAX] {
        let written = write(io::sink(), header.clone(), None, |_| Ok(Zeros(now)));
        assert_eq!(written.unwrap_err().code(), "changed");
    }
    assert!(write(io::sink(), header, None, |_| Ok(Zeros(size))).is_ok());
}
