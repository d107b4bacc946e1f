//! `lineside pack`.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::path::{Component, Path, PathBuf};

use lineside_line::bundle::{self, Header, Part, checksum};
use lineside_line::{Line, Surroundings};

use super::contents::{Reference, plain, references};
use super::{header_json, keys, refused};
use crate::arguments::bundle::Pack;
use crate::file::{self, Folder};
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

pub(crate) fn pack(arguments: &Pack) -> Result<u8, Refusal> {
    let Pack { file, output, .. } = arguments;
    if super::is_bundle(file) {
        let file = file.display().to_string();
        return Err(Refusal(format!("error: {} is a bundle already", printable(&file))));
    }
    let opened = file::open(file)?;
    let key = arguments.sign.as_deref().map(keys::private).transpose()?;
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or_else(|| Refusal(format!("error: the name of {} is not UTF-8", file.display())))?;
    let folder = &opened.folder;
    let mut paths = files(&opened.checked.line, folder)?;
    paths.remove(name);
    let parts = std::iter::once(name.to_owned()).chain(paths);
    let parts: Vec<Part> = parts.map(|path| part(folder, path)).collect::<Result<_, Refusal>>()?;
    let header = Header::new(parts).map_err(|error| refused(output, &error))?;
    // Whatever goes wrong, there is no half of a bundle under its name.
    let above = output.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    let cannot = |error: std::io::Error| {
        Refusal(format!("error: can't write {}: {error}", output.display()))
    };
    let temporary = tempfile::Builder::new().prefix(".lineside-pack-").tempfile_in(above);
    let temporary = temporary.map_err(cannot)?;
    let out = std::io::BufWriter::with_capacity(1 << 16, temporary.as_file());
    bundle::write(out, header.clone(), key.as_ref(), |path| File::open(folder.join(path)))
        .map_err(|error| refused(output, &error))?;
    super::opened::make_readable(temporary.path()).map_err(cannot)?;
    temporary.persist(output).map_err(|error| cannot(error.error))?;
    if arguments.json {
        terminal::print(&format!("{}\n", header_json(&header)))?;
    }
    terminal::talk(&format!(
        "{}: {} in {}\n",
        output.display(),
        file::count(header.parts().len(), "file"),
        lineside_line::quantity::show_memory(header.size()),
    ));
    Ok(DONE)
}

/// The files of a line, relative to its folder; each of them is there.
fn files(line: &Line, folder: &Path) -> Result<BTreeSet<String>, Refusal> {
    let mut files = BTreeSet::new();
    let mut faults = Vec::new();
    for reference in references(line) {
        match reference {
            Reference::File(path) => match inside(folder, path) {
                Ok(Some(_)) => {
                    files.insert(plain(path).to_owned());
                }
                Ok(None) => faults.push(format!("there is no file {}", printable(path))),
                Err(why) => faults.push(format!("{} {why}", printable(path))),
            },
            Reference::Maybe(path) => match inside(folder, path) {
                Ok(Some(_)) => {
                    files.insert(plain(path).to_owned());
                }
                Ok(None) => {}
                // The programs of the system are not packed.
                Err(_) if Path::new(path).is_absolute() => {}
                Err(why) => faults.push(format!("{} {why}", printable(path))),
            },
            Reference::Glob(glob) => match Folder(folder).files(glob) {
                Ok(found) if found.is_empty() => {
                    faults.push(format!("no file matches {} in `files`", printable(glob)));
                }
                Ok(found) => files.extend(found),
                Err(why) => faults.push(format!("{} in `files`: {why}", printable(glob))),
            },
        }
    }
    if faults.is_empty() {
        return Ok(files);
    }
    let faults: Vec<String> = faults.iter().map(|fault| format!("error: {fault}\n")).collect();
    Err(Refusal(format!("{}help: a bundle holds files of the line's folder", faults.concat())))
}

/// A file of the folder; none if there is no such file.
fn inside(folder: &Path, path: &str) -> Result<Option<Metadata>, &'static str> {
    let Ok(found) = fs::metadata(folder.join(path)) else { return Ok(None) };
    if !found.is_file() {
        return Ok(None);
    }
    let goes_out =
        |component: Component<'_>| !matches!(component, Component::Normal(_) | Component::CurDir);
    match Path::new(path).components().any(goes_out) {
        true => Err("lies outside of the line's folder"),
        false => Ok(Some(found)),
    }
}

fn part(folder: &Path, path: String) -> Result<Part, Refusal> {
    let full: PathBuf = folder.join(&path);
    let cannot = |error: &dyn std::fmt::Display| {
        Refusal(format!("error: can't read {}: {error}", printable(&full.display().to_string())))
    };
    let file = File::open(&full).map_err(|error| cannot(&error))?;
    let metadata = file.metadata().map_err(|error| cannot(&error))?;
    let (size, sha256) = checksum(file).map_err(|error| cannot(&error))?;
    Ok(Part { path, size, sha256, executable: is_executable(&metadata) })
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// Elsewhere what can be run is told by its name.
#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}
