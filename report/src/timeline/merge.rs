//! Many short bars as few: what charts draw when there are more bars than pixels.

use super::{Bar, Kind};

/// Neighbouring columns of a chart that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The first column.
    pub(crate) first: u32,
    /// One past the last.
    pub(crate) last: u32,
    /// The job that had most of them.
    pub(crate) job: u32,
    /// What it mostly did.
    pub(crate) kind: Kind,
    /// How much of them is covered by bars: 1 (a trace) to 4 (all).
    pub(crate) level: u8,
}

/// One column: who has how much of it. Few jobs share a column, so a list will do.
#[derive(Debug, Default)]
struct Column {
    shares: Vec<((Kind, u32), u64)>,
    covered: u64,
}

/// Merges the bars of a row, which must be in order and not overlap, into columns of equal width
/// over 0..`end`. No bar vanishes: a column that holds only a trace is still drawn.
pub(crate) fn merge(bars: impl Iterator<Item = Bar>, end: u64, columns: u32) -> Vec<Segment> {
    let columns = columns.max(1);
    let width = end.div_ceil(u64::from(columns)).max(1);
    let mut out = Vec::new();
    let mut column = Column::default();
    let mut at = 0;
    for bar in bars {
        let last = ((bar.to.max(bar.from.saturating_add(1)) - 1) / width)
            .min(u64::from(columns) - 1) as u32;
        let first = ((bar.from / width).min(u64::from(columns) - 1) as u32).max(at);
        for here in first..=last.max(first) {
            if here != at {
                close(&mut column, at, width, &mut out);
                at = here;
            }
            let from = width.saturating_mul(u64::from(here));
            let to = from.saturating_add(width);
            let covered = bar.to.min(to).saturating_sub(bar.from.max(from)).max(1);
            column.add((bar.kind, bar.job), covered);
        }
    }
    close(&mut column, at, width, &mut out);
    out
}

impl Column {
    fn add(&mut self, key: (Kind, u32), covered: u64) {
        self.covered += covered;
        match self.shares.iter_mut().find(|(held, _)| *held == key) {
            Some((_, share)) => *share += covered,
            None => self.shares.push((key, covered)),
        }
    }
}

fn close(column: &mut Column, at: u32, width: u64, out: &mut Vec<Segment>) {
    let most = column.shares.iter().max_by_key(|(key, share)| (*share, std::cmp::Reverse(*key)));
    let Some(&((kind, job), _)) = most else { return };
    let level = (u128::from(column.covered) * 4).div_ceil(u128::from(width)).clamp(1, 4) as u8;
    *column = Column::default();
    match out.last_mut() {
        Some(last)
            if last.last == at && last.job == job && last.kind == kind && last.level == level =>
        {
            last.last += 1;
        }
        _ => out.push(Segment { first: at, last: at + 1, job, kind, level }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(from: u64, to: u64, job: u32) -> Bar {
        Bar { from, to, job, kind: Kind::Busy }
    }

    #[test]
    fn columns_that_look_alike_are_one_segment() {
        let bars = [bar(0, 50, 0), bar(50, 60, 1), bar(80, 81, 0)];
        let merged = merge(bars.into_iter(), 100, 10);
        let segments: Vec<_> =
            merged.iter().map(|at| (at.first, at.last, at.job, at.level)).collect();
        assert_eq!(segments, [(0, 5, 0, 4), (5, 6, 1, 4), (8, 9, 0, 1)]);
    }

    #[test]
    fn no_bar_vanishes() {
        let bars = (0..1000).map(|at| bar(at * 1000, at * 1000, at as u32 % 3));
        let drawn: u32 = merge(bars, 1_000_000, 10).iter().map(|it| it.last - it.first).sum();
        assert_eq!(drawn, 10);
        assert_eq!(merge([bar(5, 5, 0)].into_iter(), 5, 10).len(), 1);
        assert_eq!(merge([bar(0, 0, 0)].into_iter(), 0, 10).len(), 1);
        assert!(merge([].into_iter(), 100, 10).is_empty());
    }
}
