//! How long the queue was.

use super::draw::num;
use super::{Figure, MARGIN, PLOT};
use crate::words;

const HEIGHT: f64 = 40.0;

impl Figure<'_, '_> {
    pub(super) fn queue_strip(&mut self) {
        let steps = steps(&self.timeline.queue, self.timeline.end, (PLOT.1 - PLOT.0) as u64);
        let longest = steps.iter().map(|(_, length)| *length).max().unwrap_or(0);
        if longest == 0 || self.timeline.end == 0 {
            return;
        }
        self.caption("QUEUE", "");
        let base = self.y + HEIGHT;
        let height = |length: u32| num(f64::from(length) / f64::from(longest) * HEIGHT);
        let mut d = format!("M{} {}", num(PLOT.0), num(base));
        for &(t, length) in &steps {
            let (x, y) = (num(self.x(t)), base - height(length).parse::<f64>().unwrap_or(0.0));
            d.push_str(&format!("H{x}V{}", num(y)));
        }
        d.push_str(&format!("H{}V{}z", num(PLOT.1), num(base)));
        let most = words::count(u64::from(longest), "job");
        self.body.open(&format!("At most {most} waited at once."));
        self.body.text("g-soft", MARGIN, self.y + HEIGHT / 2.0 + 4.0, &format!("up to {most}"));
        let crowded = steps.len() > 300;
        self.body.path(if crowded { "g-w" } else { "g-queue" }, &d);
        self.body.close();
        self.y += HEIGHT + 14.0;
    }
}

/// The steps of the queue's length, at most about `most` of them; peaks stay.
pub(crate) fn steps(queue: &[(u64, u32)], end: u64, most: u64) -> Vec<(u64, u32)> {
    let width = end.div_ceil(most.max(1)).max(1);
    let mut out: Vec<(u64, u32)> = Vec::new();
    if queue.len() as u64 <= most {
        out.extend(queue);
        return out;
    }
    for near in queue.chunk_by(|a, b| a.0 / width == b.0 / width) {
        let peak = near.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let last = near[near.len() - 1].1;
        out.push((near[0].0, peak));
        if near.len() > 1 && last != peak {
            out.push((near[near.len() - 1].0, last));
        }
    }
    out
}
