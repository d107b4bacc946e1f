//! A bundle as the surroundings of its line: what the line refers to is looked for in it, and
//! unpacked when it is used.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use glob::{MatchOptions, Pattern};
use lineside_backends::host;
use lineside_line::bundle::{BundleError, Header, Part};
use lineside_line::{KernelFault, Line, Setting, Surroundings};
use tempfile::TempDir;

use super::contents::{Reference, plain, references};
use super::{FileReader, open, refused};
use crate::Refusal;
use crate::arguments::bundle::Trust;

/// A bundle, and the folder into which its parts are unpacked. The folder goes with it.
pub(crate) struct Opened {
    inner: RefCell<Inner>,
    header: Header,
    folder: TempDir,
}

struct Inner {
    reader: FileReader,
    /// Parts that have been unpacked.
    done: BTreeSet<usize>,
}

impl Opened {
    /// Opens a bundle, and reads its line file.
    pub(crate) fn open(path: &Path, trust: &Trust) -> Result<(Opened, Vec<u8>), Refusal> {
        let mut reader = open(path, trust)?;
        let header = reader.header().clone();
        let mut line = Vec::new();
        reader.next_part(&mut line).map_err(|error| refused(path, &error))?;
        let folder = tempfile::Builder::new().prefix("lineside-").tempdir();
        let folder = folder.map_err(|error| refused(path, &BundleError::Write(error)))?;
        let inner = RefCell::new(Inner { reader, done: BTreeSet::new() });
        Ok((Opened { inner, header, folder }, line))
    }

    /// Where its parts are, as far as they have been unpacked.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Unpacks what the line uses, and nothing else.
    pub(crate) fn unpack(&self, line: &Line) -> Result<(), BundleError> {
        for reference in references(line) {
            match reference {
                Reference::File(path) | Reference::Maybe(path) => self.unpack_path(path)?,
                Reference::Glob(glob) => {
                    for file in self.files(glob).unwrap_or_default() {
                        self.unpack_path(&file)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Unpacks a part, if there is one of that path and it has not been.
    fn unpack_path(&self, path: &str) -> Result<(), BundleError> {
        let Some(at) = self.header.find(plain(path)) else { return Ok(()) };
        let inner = &mut *self.inner.borrow_mut();
        if inner.done.insert(at) {
            let part = &self.header.parts()[at];
            copy_out(&mut inner.reader, at, part, self.folder.path())?;
        }
        Ok(())
    }
}

impl Surroundings for Opened {
    fn files(&self, pattern: &str) -> Result<Vec<String>, String> {
        let pattern = Pattern::new(plain(pattern)).map_err(|error| error.msg.to_owned())?;
        // As a folder is searched: a `*` stays within a name.
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        let parts = self.header.parts().iter().skip(1);
        let found = parts.filter(|part| pattern.matches_with(&part.path, options));
        Ok(found.map(|part| part.path.clone()).collect())
    }

    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        let texts = settings
            .iter()
            .flat_map(|(key, setting)| setting.texts().into_iter().map(move |path| (key, path)));
        for (key, path) in texts {
            if let Err(error) = self.unpack_path(path) {
                let (setting, message) = (Some(key.clone()), error.to_string());
                return vec![KernelFault { setting, message, help: None }];
            }
        }
        host::kernel_faults(tool, settings, self.folder.path())
    }
}

/// Copies a part into a folder that is ours: its path was checked, and no file is written over.
pub(super) fn copy_out(
    reader: &mut FileReader,
    at: usize,
    part: &Part,
    folder: &Path,
) -> Result<(), BundleError> {
    let path = folder.join(&part.path);
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(BundleError::Write)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, part.executable);
    let file = options.open(&path).map_err(BundleError::Write)?;
    reader.seek(at)?;
    let copied = reader.next_part(io::BufWriter::with_capacity(1 << 16, file));
    if let Err(error) = copied {
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(())
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, executable: bool) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(if executable { 0o777 } else { 0o666 });
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: bool) {}

/// What was made as a temporary file or folder is for its owner alone; now it is for who may see
/// others.
#[cfg(unix)]
pub(super) fn make_readable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn make_readable(_: &Path) -> io::Result<()> {
    Ok(())
}
