//! Line files into the compact form.

use alloc::vec::Vec;

use lineside_backends::Workload;
use lineside_line::Line;

use crate::plan::Encoded;

/// The compact form of a checked line.
///
/// ```
/// use lineside_golden::{encode, plan};
/// let text = "[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\n";
/// let line = lineside_line::read(text, &lineside_line::NoFiles).unwrap().line;
/// let mut trace = String::new();
/// assert_eq!(plan(&encode(&line), &mut trace), Ok(0));
/// assert_eq!(trace.lines().count(), 6);
/// ```
pub fn encode(line: &Line) -> Vec<u8> {
    let encoded = Encoded {
        units: line.units.iter().map(|unit| unit.name.as_str()).collect(),
        jobs: line.jobs.iter().map(|job| job.name.as_str()).collect(),
        models: line.models.iter().map(|model| model.name.as_str()).collect(),
        workload: Workload::from_line(line),
    };
    postcard::to_allocvec(&encoded).expect("vectors grow, and their lengths are known")
}

/// Adds a line to a pack: the length of the name and the name, the length of the line and the
/// line; lengths are four bytes, the lowest first. An image reads one line after the other.
///
/// ```
/// let mut pack = Vec::new();
/// lineside_golden::pack(&mut pack, "a", &[7, 8]);
/// assert_eq!(pack, [1, 0, 0, 0, b'a', 2, 0, 0, 0, 7, 8]);
/// ```
pub fn pack(pack: &mut Vec<u8>, name: &str, line: &[u8]) {
    for part in [name.as_bytes(), line] {
        let length = u32::try_from(part.len()).expect("lines are short");
        pack.extend(length.to_le_bytes());
        pack.extend(part);
    }
}
