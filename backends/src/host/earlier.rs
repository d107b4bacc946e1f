//! What an earlier runner has done of a line.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lineside_core::Nanos;
use lineside_line::{Action, Line};

use crate::journal::{History, ImageSet};

/// Where a run goes on.
///
/// ```
/// let nothing = lineside_backends::host::Earlier::default();
/// assert_eq!((nothing.time, nothing.done.len()), (0, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Earlier {
    /// Time goes on from here.
    pub time: Nanos,
    /// By job: images that need not be worked on again.
    pub done: Vec<ImageSet>,
    /// By job and first image: how often a start that is not done was tried.
    pub tries: BTreeMap<(u32, u32), u32>,
}

impl Earlier {
    /// What need not be done again of a line. The history is that of its very jobs, by index.
    ///
    /// What built-in tools make of an image is in memory only. So an image of such a tool is done
    /// again while a built-in tool behind it still needs what was made of it.
    pub fn of(line: &Line, history: &History) -> Self {
        let mut done: Vec<ImageSet> = history.jobs.iter().map(|job| job.done.clone()).collect();
        done.resize_with(line.jobs.len(), ImageSet::default);
        // Downstreams stand behind their upstreams, so their need is settled when it is asked for.
        for up in (0..line.jobs.len()).rev() {
            if makes_in_memory(&line.jobs[up].action) {
                done[up] = needless(line, up, &done);
            }
        }
        let jobs = (0..).zip(&history.jobs);
        let tries = jobs.flat_map(|(at, job)| {
            job.tries.iter().map(move |(&image, &tries)| ((at, image), tries))
        });
        Earlier { time: history.time, tries: tries.collect(), done }
    }
}

/// The images of a job that are done, and of which nobody needs what was made.
fn needless(line: &Line, up: usize, done: &[ImageSet]) -> ImageSet {
    let images = line.jobs[up].images;
    let takes = |job: &&(usize, &lineside_line::Job)| {
        let (_, job) = job;
        makes_in_memory(&job.action) && job.after.iter().any(|edge| edge.upstream as usize == up)
    };
    let behind: Vec<_> = line.jobs.iter().enumerate().filter(|job| takes(&job)).collect();
    let mut needless = ImageSet::default();
    for image in (0..images).filter(|&image| done[up].has(image)) {
        let needed = behind.iter().any(|&(down, job)| {
            if job.images == images {
                !done[down].has(image)
            } else {
                done[down].count() < job.images
            }
        });
        if !needed {
            needless.add(image, 1);
        }
    }
    needless
}

fn makes_in_memory(action: &Action) -> bool {
    matches!(action, Action::Kernel { tool, .. } if tool != "sleep")
}

#[cfg(test)]
mod tests {
    use lineside_line::{NoFiles, read};

    use super::*;
    use crate::journal::{JobHistory, JobKey};

    /// What is left to do of a chain of two built-in tools, a third one over all, and a program.
    fn done(of: [&[u32]; 4]) -> Vec<Vec<u32>> {
        let job = |name: &str, more: &str| {
            alloc::format!(
                "[[job]]\nname = \"{name}\"\nneeds = \"cpu\"\nkind = \"legacy\"\n{more}\n"
            )
        };
        let kernel = |tool: &str, more: &str| {
            job(tool, &alloc::format!("kernel = {{ tool = \"{tool}\" }}\n{more}"))
        };
        let text = alloc::format!(
            "[[device]]\nname = \"c\"\nplace = \"cpu\"\n{}{}{}{}",
            kernel("load", "images = 4"),
            kernel("classify", "after = [\"load\"]"),
            kernel("report", "after = [{ job = \"classify\", mode = \"barrier\" }]\nimages = 1"),
            job("own", "images = 4\nrun = [\"true\"]\nafter = [\"load\"]"),
        );
        let line = read(&text, &NoFiles).expect("the line is legal").line;
        let known = |(job, images): (&lineside_line::Job, &[u32])| {
            let mut done = ImageSet::default();
            images.iter().for_each(|&image| done.add(image, 1));
            let key = JobKey { name: job.name.clone(), key: 0, images: job.images };
            JobHistory { key, done, tries: BTreeMap::new(), end: None, failing: 0 }
        };
        let mut history = History::default();
        history.jobs = line.jobs.iter().zip(of).map(known).collect();
        let earlier = Earlier::of(&line, &history);
        let images =
            earlier.done.iter().map(|set| (0..4).filter(|&image| set.has(image)).collect());
        images.collect()
    }

    #[test]
    fn what_is_in_memory_is_made_again_where_it_is_needed() {
        // The report still needs all of classify, and that all of load.
        let all: &[u32] = &[0, 1, 2, 3];
        assert_eq!(done([all, &[0, 1], &[], all]), [&[][..], &[], &[], all]);
        // The report is done: nobody needs anything.
        assert_eq!(done([all, all, &[0], &[0]]), [all, all, &[0], &[0]]);
        // A program takes nothing from memory.
        assert_eq!(done([all, all, &[0], &[]]), [all, all, &[0], &[]]);
    }
}
