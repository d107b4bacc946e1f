//! `lineside pack`, `unpack`, `inspect` and `verify`: a line in one file.

mod contents;
mod keys;
mod opened;
mod pack;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use lineside_line::bundle::{BundleError, Header, Reader};
use lineside_line::quantity::show_memory;
use serde_json::{Value, json};

use crate::arguments::bundle::{Inspect, Trust, Unpack, Verify};
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

pub(crate) use opened::Opened;
pub(crate) use pack::pack;

/// A bundle that is being read from a file.
type FileReader = Reader<BufReader<File>>;

/// Does it begin as a bundle does? What can't be read is none: whoever reads it next says why.
pub(crate) fn is_bundle(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == lineside_line::bundle::MAGIC
}

/// Opens a bundle and checks all but its parts.
fn open(path: &Path, trust: &Trust) -> Result<FileReader, Refusal> {
    let refused = |error: BundleError| refused(path, &error);
    let file = File::open(path).map_err(|error| refused(BundleError::Read(error)))?;
    let mut reader = Reader::open(BufReader::with_capacity(1 << 16, file)).map_err(refused)?;
    reader.check_length().map_err(refused)?;
    if let Some(key) = &trust.verify_key {
        reader.require(&keys::public(key)?).map_err(refused)?;
    }
    Ok(reader)
}

fn refused(path: &Path, error: &BundleError) -> Refusal {
    let path = path.display().to_string();
    Refusal(format!("error[{}]: {}: {error}", error.code(), printable(&path)))
}

/// A folder that is not there yet, or is empty, gets the files; if any of them is wrong, none.
pub(crate) fn unpack(arguments: &Unpack) -> Result<u8, Refusal> {
    let mut reader = open(&arguments.bundle, &arguments.trust)?;
    let out = &arguments.output;
    let cannot = |what: &str, error: std::io::Error| {
        Refusal(format!("error: can't {what} {}: {error}", printable(&out.display().to_string())))
    };
    if out.exists() && fs::read_dir(out).map_or(true, |mut entries| entries.next().is_some()) {
        let out = out.display().to_string();
        return Err(Refusal(format!(
            "error: {} is there and not an empty folder\nhelp: name a new one",
            printable(&out)
        )));
    }
    let above = out.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    fs::create_dir_all(above).map_err(|error| cannot("make", error))?;
    let folder = tempfile::Builder::new()
        .prefix(".lineside-unpack-")
        .tempdir_in(above)
        .map_err(|error| cannot("make", error))?;
    let parts = reader.header().parts().to_vec();
    for (at, part) in parts.iter().enumerate() {
        opened::copy_out(&mut reader, at, part, folder.path())
            .map_err(|error| refused(&arguments.bundle, &error))?;
    }
    reader.finish().map_err(|error| refused(&arguments.bundle, &error))?;
    if out.exists() {
        fs::remove_dir(out).map_err(|error| cannot("replace", error))?;
    }
    opened::make_readable(folder.path()).map_err(|error| cannot("write", error))?;
    fs::rename(folder.path(), out).map_err(|error| cannot("write", error))?;
    // It has another name now: there is nothing left to remove.
    let _ = folder.keep();
    terminal::talk(&format!("{} files in {}\n", parts.len(), out.display()));
    Ok(DONE)
}

pub(crate) fn inspect(arguments: &Inspect) -> Result<u8, Refusal> {
    let reader = open(&arguments.bundle, &Trust::default())?;
    let header = reader.header();
    match arguments.json {
        true => terminal::print(&format!("{}\n", header_json(header)))?,
        false => terminal::print(&header_text(header))?,
    }
    Ok(DONE)
}

pub(crate) fn verify(arguments: &Verify) -> Result<u8, Refusal> {
    let reader = open(&arguments.bundle, &arguments.trust)?;
    let header = reader.finish().map_err(|error| refused(&arguments.bundle, &error))?;
    let signed = match (header.signer(), &arguments.trust.verify_key) {
        (Some(_), Some(_)) => "signed with the key asked for",
        (Some(_), None) => "signed, by whom was not asked (see --verify-key)",
        (None, _) => "not signed",
    };
    let (parts, size) = (header.parts().len(), show_memory(header.size()));
    terminal::print(&format!("sound: {parts} files, {size}; {signed}\n"))?;
    Ok(DONE)
}

fn header_text(header: &Header) -> String {
    let signer = header.signer().map_or("none".to_owned(), |key| hex(key));
    let mut text = format!(
        "line    {}\nfiles   {}\nsize    {}\nsigner  {signer}\n\n",
        printable(&header.line().path),
        header.parts().len(),
        show_memory(header.size()),
    );
    for part in header.parts() {
        let size = show_memory(part.size);
        let mark = if part.executable { "*" } else { "" };
        text +=
            &format!("{size:>10}  {}  {}{mark}\n", &hex(&part.sha256)[..16], printable(&part.path));
    }
    text
}

fn header_json(header: &Header) -> Value {
    let parts = header.parts().iter().map(|part| {
        json!({
            "path": part.path, "size": part.size, "sha256": hex(&part.sha256),
            "executable": part.executable,
        })
    });
    json!({
        "version": lineside_line::bundle::VERSION, "line": header.line().path,
        "size": header.size(), "signer": header.signer().map(|key| hex(key)),
        "parts": parts.collect::<Vec<_>>(),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
