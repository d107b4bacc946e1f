//! What counts as the same work: command, environment and inputs.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use lineside_backends::journal::JobKey;
use lineside_line::{Action, Line, Setting};

/// A key for each job. It changes if what the job does has changed, or a file that it is done with
/// or done to, or the key of an upstream.
///
/// A file has changed if its size or its time has. Files that were just unpacked have no time of
/// their own: there it is what they hold.
pub(crate) fn keys(line: &Line, folder: &Path, unpacked: bool) -> Vec<JobKey> {
    let mut keys: Vec<JobKey> = Vec::with_capacity(line.jobs.len());
    for job in &line.jobs {
        let mut text = format!("{:?}", job.action);
        let mut file = |folder: &Path, name: &str| {
            let path = folder.join(name);
            let Ok(found) = path.metadata() else { return };
            if found.is_file() && unpacked {
                let holds = hash(&fs::read(&path).unwrap_or_default());
                let _ = write!(text, "\n{name:?} {holds:x}");
            } else if found.is_file() {
                let changed = found.modified().ok();
                let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                // Writing to a string can't fail.
                let _ = write!(text, "\n{name:?} {} {changed:?}", found.len());
            }
        };
        match &job.action {
            Action::Run(program) | Action::Worker(program) => {
                let dir = program.dir.as_ref().map_or(folder.to_owned(), |dir| folder.join(dir));
                program.plain_texts().for_each(|text| file(&dir, text));
            }
            Action::Kernel { settings, .. } => {
                for setting in settings.values() {
                    if let Setting::Text(word) = setting {
                        file(folder, word);
                    }
                }
            }
            Action::None => {}
        }
        job.files.iter().for_each(|name| file(folder, name));
        for edge in &job.after {
            let upstream = &keys[edge.upstream as usize];
            let _ = write!(text, "\n{:?} {:x}", upstream.name, upstream.key);
        }
        let key = hash(text.as_bytes());
        keys.push(JobKey { name: job.name.clone(), key, images: job.images });
    }
    keys
}

/// FNV-1a: the same on every machine and in every version.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use lineside_line::{NoFiles, read};

    use super::*;

    #[test]
    fn what_has_changed_and_what_is_behind_it_has_another_key() {
        let keys_of = |word: &str, more: &str| {
            let text = format!(
                "[[device]]\nname = \"g\"\n{more}[[job]]\nname = \"a\"\nrun = [\"{word}\"]\n\
                 [[job]]\nname = \"b\"\nafter = [\"a\"]\n[[job]]\nname = \"c\"\nrun = [\"x\"]\n"
            );
            let line = read(&text, &NoFiles).expect("the line is legal").line;
            keys(&line, Path::new("/nowhere"), false)
        };
        let of = |keys: &[JobKey], name: &str| {
            keys.iter().find(|key| key.name == name).map(|key| key.key).expect("it is there")
        };
        let (one, other) = (keys_of("p", ""), keys_of("q", ""));
        assert_ne!(of(&one, "a"), of(&other, "a"));
        assert_ne!(of(&one, "b"), of(&other, "b"));
        assert_eq!(of(&one, "c"), of(&other, "c"));
        // A job put in front changes nothing.
        let shifted = keys_of("p", "[[job]]\nname = \"first\"\nrun = [\"y\"]\n");
        for name in ["a", "b", "c"] {
            assert_eq!(of(&one, name), of(&shifted, name));
        }
    }
}
