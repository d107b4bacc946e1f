//! The cases as other machines get them.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_golden::{encode, pack, plan};

use crate::command::{Fault, root};

/// A case: a line, and what is to come of it.
pub(crate) struct Case {
    /// The name of the line file.
    pub(crate) file: String,
    /// The trace.
    pub(crate) trace: String,
    /// The exit code of `lineside plan`.
    pub(crate) code: String,
}

/// The cases, and the pack of them in the folder where it lies.
pub(crate) struct Golden {
    pub(crate) cases: Vec<Case>,
    pub(crate) folder: PathBuf,
}

/// The name of the pack.
pub(crate) const PACK: &str = "lines.bin";

/// The folder of the cases.
pub(crate) fn cases_folder() -> PathBuf {
    root().join("tests/cases")
}

/// Packs every case that is not refused.
pub(crate) fn make() -> Result<Golden, Fault> {
    let cases_folder = cases_folder();
    let exits = read(&cases_folder.join("EXITS.tsv"))?;
    let rows = exits.lines().filter_map(|row| row.split_once('\t'));
    let (mut cases, mut bytes) = (Vec::new(), Vec::new());
    for (file, code) in rows.filter(|(_, code)| *code != "2") {
        pack(&mut bytes, file, &encode_file(&cases_folder.join(file))?);
        cases.push(Case {
            file: file.to_owned(),
            trace: read(&cases_folder.join(file).with_extension("jsonl"))?,
            code: code.to_owned(),
        });
    }
    let folder = root().join("target/golden");
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(PACK), bytes));
    written.map_err(|error| format!("{} can't be written: {error}", folder.display()))?;
    Ok(Golden { cases, folder })
}

/// The trace of a line file as this machine plans it.
pub(crate) fn trace_of(path: &Path) -> Result<String, Fault> {
    let mut trace = String::new();
    match plan(&encode_file(path)?, &mut trace) {
        Ok(_) => Ok(trace),
        Err(error) => Err(Fault::Failed(format!("{}: {error:?}", path.display()))),
    }
}

fn encode_file(path: &Path) -> Result<Vec<u8>, Fault> {
    let checked = lineside_line::read(&read(path)?, &lineside_line::NoFiles);
    match checked {
        Ok(checked) => Ok(encode(&checked.line)),
        Err(_) => Err(Fault::Failed(format!("{} is refused", path.display()))),
    }
}

/// A text file.
pub(crate) fn read(path: &Path) -> Result<String, Fault> {
    fs::read_to_string(path)
        .map_err(|error| Fault::Failed(format!("{} can't be read: {error}", path.display())))
}

/// The first line in which a trace differs; none if it does not.
pub(crate) fn difference(file: &str, found: &str, expected: &str) -> Option<String> {
    if found == expected {
        return None;
    }
    let same = found.lines().zip(expected.lines()).take_while(|(found, want)| found == want);
    let at = same.count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(ends)").to_owned();
    let (want, have) = (line(expected), line(found));
    Some(format!("{file}:{}\n  want {want}\n  have {have}", at + 1))
}
