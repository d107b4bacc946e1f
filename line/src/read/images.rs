//! How many images each job has, and what depends on that.

use crate::line::Mode;
use crate::problem::Code;
use crate::quantity::{DURATION_LIMIT, show_duration};
use crate::report::{Finding, Report};

use super::jobs::Images;
use super::{JobDraft, Jobs};

/// Settles the images of all jobs, upstreams first, and checks what must go with them.
pub(super) fn settle(jobs: &mut Jobs<'_>, order: &[u32], report: &mut Report) {
    let mut counts: Vec<Option<u32>> = jobs.drafts.iter().map(own).collect();
    for job in order {
        let draft = &jobs.drafts[*job as usize];
        if draft.images.is_absent() {
            counts[*job as usize] = inherited(jobs, draft, &counts);
        }
    }
    for (draft, count) in jobs.drafts.iter_mut().zip(counts) {
        draft.count = count;
        if let Some(count) = count {
            check_feeds(draft, count, report);
            check_inject(draft, count, report);
        }
    }
    check_edges(jobs, report);
}

/// What a job says itself.
fn own(draft: &JobDraft<'_>) -> Option<u32> {
    draft.images.good().map(|images| match images {
        Images::Count(count) => *count,
        // A longer list has been refused.
        Images::Files(files) => u32::try_from(files.len()).unwrap_or(u32::MAX),
    })
}

/// As many as the first upstream over a stream edge, else 1.
fn inherited(jobs: &Jobs<'_>, draft: &JobDraft<'_>, counts: &[Option<u32>]) -> Option<u32> {
    for edge in &jobs.edges[draft.edges.clone()] {
        match edge.settled? {
            Mode::Barrier => {}
            Mode::Stream => return counts[edge.up? as usize],
        }
    }
    Some(1)
}

/// The last feed must come before the end of time.
fn check_feeds(draft: &JobDraft<'_>, count: u32, report: &mut Report) {
    let (Some(every), Some(at)) = (draft.every.good(), draft.every.at()) else {
        return;
    };
    let arrive = draft.arrive.or(0).unwrap_or(0);
    let end = u128::from(arrive) + u128::from(*every) * u128::from(count);
    if end >= u128::from(DURATION_LIMIT) {
        let message = format!(
            "{count} images, one every {}, go on for 2^62 ns and more",
            show_duration(*every)
        );
        report.add(
            Finding::error(Code::OutOfRange, at, message)
                .help("`arrive` + `every` × `images` is shorter than that: write a shorter one"),
        );
    }
}

fn check_inject(draft: &JobDraft<'_>, count: u32, report: &mut Report) {
    for inject in &draft.inject {
        let (Some(image), Some(at)) = (inject.image.good(), inject.image.at()) else {
            continue;
        };
        if *image >= count {
            let help = match count {
                0 => "leave it out".to_owned(),
                _ => format!("images count from 0: write {} at most", count - 1),
            };
            let message = format!("there is no image {image} of {count}");
            report.add(Finding::error(Code::InjectBeyondImages, at, message).help(help));
        }
    }
}

/// Both ends of a stream edge have equal images.
fn check_edges(jobs: &mut Jobs<'_>, report: &mut Report) {
    let drafts = &jobs.drafts;
    for edge in &mut jobs.edges {
        let (Some(Mode::Stream), Some(up)) = (edge.settled, edge.up) else {
            continue;
        };
        let (up, down) = (&drafts[up as usize], &drafts[edge.down as usize]);
        let (Some(from), Some(to)) = (up.count, down.count) else {
            continue;
        };
        if from == to {
            continue;
        }
        let mut finding = Finding::error(
            Code::UnequalImages,
            edge.at,
            format!("a stream edge from {from} images to {to}"),
        );
        if let Some(at) = up.images.at() {
            finding = finding.related(at, "the upstream's images");
        }
        if let Some(at) = down.images.at() {
            finding = finding.related(at, "this job's images");
        }
        report.add(finding.help("make them equal, or write `mode = \"barrier\"`"));
        edge.settled = None;
    }
}
