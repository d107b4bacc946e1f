//! Which files a line refers to.

use lineside_line::{Action, Line, Setting};

/// A text of a line file that is, or may be, the path of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference<'l> {
    /// It is one.
    File(&'l str),
    /// A word of a command or a setting of a tool: it is one if there is such a file.
    Maybe(&'l str),
    /// Files that match it.
    Glob(&'l str),
}

/// What a line refers to, in its order. Files that were found by `images` are files by now. With
/// `images` they are among it.
pub(super) fn references(line: &Line) -> Vec<Reference<'_>> {
    let mut references = Vec::new();
    for job in &line.jobs {
        references.extend(job.files.iter().map(|file| Reference::File(file)));
        match &job.action {
            Action::None => {}
            Action::Run(program) | Action::Worker(program) => {
                references.extend(program.plain_texts().map(Reference::Maybe));
            }
            Action::Kernel { settings, .. } => {
                let texts = settings.values().flat_map(Setting::texts);
                references.extend(texts.map(Reference::Maybe));
            }
        }
    }
    let used = |at: usize| line.jobs.iter().any(|job| job.model == Some(at as u32));
    let models = line.models.iter().enumerate().filter(|(at, _)| used(*at));
    references.extend(models.filter_map(|(_, model)| model.file.as_deref()).map(Reference::File));
    references.extend(line.files.iter().map(|glob| Reference::Glob(glob)));
    references
}

/// A path without its `./`.
pub(super) fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}
