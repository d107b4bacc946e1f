//! The folder of a run.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use super::journal::Journal;
use crate::Refusal;
use crate::arguments::Run;

/// The folder of the run that goes on.
pub(crate) fn folder_to_resume(arguments: &Run) -> Result<PathBuf, Refusal> {
    match &arguments.out {
        Some(out) => Ok(out.clone()),
        None => Err(Refusal(
            "error: `--resume` goes on with the run in a folder\n\
             help: name it with `--out`"
                .to_owned(),
        )),
    }
}

/// A line that can't run leaves nothing behind.
pub(crate) fn remove_what_was_made(out: &Path) {
    let _ = fs::remove_file(Journal::path(out));
    let _ = fs::remove_dir(out.join("results")).and_then(|()| fs::remove_dir(out));
}

/// Makes the folder that was asked for, which must be empty, or a new one. No other run gets the
/// same, even at the same moment.
pub(crate) fn make_out_folder(arguments: &Run) -> Result<PathBuf, Refusal> {
    let out = match &arguments.out {
        Some(out) => {
            let kept = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
            if kept {
                let help = match Journal::path(out).exists() {
                    true => "`--resume` goes on with the run that is there",
                    false => "name another folder, or remove what an earlier run has left there",
                };
                let out = out.display();
                return Err(Refusal(format!("error: {out} is not empty\nhelp: {help}")));
            }
            make_folder(out)?;
            out.clone()
        }
        None => make_numbered_folder(&arguments.file)?,
    };
    make_folder(&out.join("results"))?;
    Ok(out)
}

fn make_numbered_folder(file: &Path) -> Result<PathBuf, Refusal> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = match file.parent().and_then(Path::file_name) {
        Some(folder) if stem == "line" => folder.to_string_lossy().into_owned(),
        _ => stem,
    };
    let runs = Path::new("lineside-runs");
    make_folder(runs)?;
    for run in 1..=99_999 {
        let out = runs.join(format!("{folder}-{run:03}"));
        match fs::create_dir(&out) {
            Ok(()) => return Ok(out),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_make(&out, &error)),
        }
    }
    Err(Refusal(format!("error: {} is full of runs", runs.display())))
}

fn make_folder(path: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(path).map_err(|error| cannot_make(path, &error))
}

fn cannot_make(path: &Path, error: &Error) -> Refusal {
    Refusal(format!("error: can't make {}: {error}", path.display()))
}
