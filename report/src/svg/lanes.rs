//! The lanes of the units.

use super::draw::{Area, num};
use super::{Figure, PLOT};
use crate::text::{cut_pixels, pixels};
use crate::timeline::{Bar, How, Kind, Lane, Lease, Segment, merge};
use crate::{colour, summary, words};
use lineside_line::trace::UnitState;

/// The height of a lane of a unit that has one, and of one that has several.
const HEIGHTS: (f64, f64) = (22.0, 14.0);

/// Something to mark in a lane.
struct Mark {
    t: u64,
    lane: u32,
    symbol: &'static str,
    title: String,
}

impl Figure<'_, '_> {
    pub(super) fn unit_lanes(&mut self) {
        let lanes = self.timeline.lanes();
        if lanes.is_empty() {
            return;
        }
        self.caption("UNITS", "BUSY");
        let crowded = self.crowded(&lanes);
        let marks = self.marks();
        let mut shown = 0;
        let mut units = 0;
        for unit in lanes.chunk_by(|a, b| a.unit == b.unit) {
            if shown + unit.len() > self.limits.lanes.max(unit.len()) {
                break;
            }
            shown += unit.len();
            units += 1;
            self.unit(unit, crowded, &marks);
        }
        let hidden = self.timeline.units.len() - units;
        if hidden > 0 {
            self.note(&format!("and {} more", words::count(hidden as u64, "unit")));
        }
        self.y += 10.0;
    }

    /// From how many bars on a lane is merged.
    fn crowded(&self, lanes: &[Lane]) -> usize {
        let bars = self.timeline.starts.len() + self.timeline.leases.len();
        match bars > self.limits.bars {
            true => self.limits.bars / lanes.len().max(1),
            false => usize::MAX,
        }
    }

    fn unit(&mut self, lanes: &[Lane], crowded: usize, marks: &[Vec<Mark>]) {
        let unit = lanes[0].unit as usize;
        let (height, gap) = if lanes.len() == 1 { (HEIGHTS.0, 0.0) } else { (HEIGHTS.1, 2.0) };
        let whole = lanes.len() as f64 * (height + gap) - gap;
        let top = self.y;
        let name = cut_pixels(&self.timeline.line.units[unit].name, 168.0, 12.0);
        self.body.open(&self.unit_title(unit));
        self.body.text("g-ink", super::MARGIN, top + whole / 2.0 + 4.0, &name);
        let busy = summary::share(self.timeline.units[unit].busy, self.timeline.end);
        let x = super::WIDTH - super::MARGIN;
        self.body.text("g-soft g-end", x, top + whole / 2.0 + 4.0, &words::percent(busy));
        self.body.close();
        for lane in 0..lanes.len() {
            let y = top + lane as f64 * (height + gap);
            let area = Area { x: PLOT.0, y, width: PLOT.1 - PLOT.0, height };
            self.body.rect("g-track", area, 2.0);
        }
        self.outages(unit as u32, Area { x: 0.0, y: top, width: 0.0, height: whole });
        for lane in lanes {
            self.lane(lane, height, crowded);
            self.y += height + gap;
        }
        self.draw_marks(&marks[unit], top, (height, gap), whole);
        self.y += 8.0 - gap;
    }

    fn unit_title(&self, unit: usize) -> String {
        let track = &self.timeline.units[unit];
        let share = |part| words::percent(summary::share(part, self.timeline.end));
        format!(
            "{}\nbusy {}, held {}, starved {}",
            self.timeline.line.units[unit].name,
            share(track.busy),
            share(track.held),
            share(track.held - track.busy)
        )
    }

    fn lane(&mut self, lane: &Lane, height: f64, crowded: usize) {
        let starts: usize =
            lane.leases.iter().map(|&at| self.timeline.leases[at as usize].starts.len()).sum();
        if starts + lane.leases.len() > crowded {
            self.merged_lane(lane, height);
            return;
        }
        for &at in &lane.leases {
            self.lease(&self.timeline.leases[at as usize], height);
        }
    }

    /// A lease with all its starts, and its job's name where there is room.
    fn lease(&mut self, lease: &Lease<'_>, height: f64) {
        self.body.open(&words::lease(self.timeline, lease, self.limits.why));
        let name = self.timeline.job_name(lease.job);
        let mut unnamed = true;
        for bar in self.timeline.bars_of(lease) {
            let area = self.bar(&bar, height);
            if unnamed && bar.kind == Kind::Busy && pixels(name, 11.0) + 8.0 < area.width {
                unnamed = false;
                self.body.text("g-on", area.x + 5.0, self.y + height / 2.0 + 4.0, name);
            }
        }
        self.cold_stripe(lease);
        self.body.close();
    }

    fn bar(&mut self, bar: &Bar, height: f64) -> Area {
        let (x, end) = (self.x(bar.from), self.x(bar.to));
        let gap = if end - x > 4.0 { 0.8 } else { 0.0 };
        let area = Area { x, y: self.y, width: (end - x - gap).max(0.8), height };
        let kind = if bar.kind == Kind::Busy { 'c' } else { 's' };
        self.seen.starved |= bar.kind == Kind::Starved;
        let radius = if area.width > 6.0 { 2.0 } else { 0.0 };
        self.body.rect(&format!("g-{kind}{}", colour::of(bar.job)), area, radius);
        area
    }

    /// A stripe as long as the model took to load.
    fn cold_stripe(&mut self, lease: &Lease<'_>) {
        let Some(start) = self.timeline.starts_of(lease).first().filter(|_| lease.cold) else {
            return;
        };
        let model = self.timeline.line.jobs[lease.job as usize].model;
        let model = model.and_then(|model| self.timeline.line.models.get(model as usize));
        let loaded = start.from.saturating_add(model.map_or(0, |model| model.cold));
        let (x, end) = (self.x(start.from), self.x(loaded.min(start.to)));
        let area = Area { x, y: self.y, width: (end - x - 0.8).max(2.0), height: 3.0 };
        self.seen.cold = true;
        self.body.rect("g-cold", area, 0.0);
    }

    /// A crowded lane: one path for all neighbours that look alike.
    fn merged_lane(&mut self, lane: &Lane, height: f64) {
        let columns = self.columns();
        let leases = lane.leases.iter().map(|&at| &self.timeline.leases[at as usize]);
        let bars = leases.flat_map(|lease| self.timeline.bars_of(lease));
        let segments = merge(bars, self.timeline.end, columns);
        self.seen.starved |= segments.iter().any(|segment| segment.kind == Kind::Starved);
        self.segments(segments, columns, height);
    }

    /// In how many columns a crowded row is merged.
    pub(super) fn columns(&self) -> u32 {
        let rows = self.timeline.units.len().min(self.limits.lanes)
            + self.timeline.jobs.len().min(self.limits.jobs);
        (self.limits.segments / rows.max(1)).clamp(20, 900) as u32
    }

    /// Draws merged bars: one path for those of a job that look alike.
    pub(super) fn segments(&mut self, mut segments: Vec<Segment>, columns: u32, height: f64) {
        self.seen.merged = true;
        let look = |segment: &Segment| (segment.job, segment.kind, segment.level);
        segments.sort_by_key(|segment| (look(segment), segment.first));
        let width = (PLOT.1 - PLOT.0) / f64::from(columns);
        for alike in segments.chunk_by(|a, b| look(a) == look(b)) {
            let (job, kind, level) = look(&alike[0]);
            let fill = match kind {
                Kind::Busy => format!("g-c{}", colour::of(job)),
                Kind::Starved => format!("g-s{}", colour::of(job)),
                Kind::Waiting => "g-w".to_string(),
            };
            let class = if level == 4 { fill } else { format!("{fill} g-l{level}") };
            let mut d = String::new();
            for segment in alike {
                let x = PLOT.0 + f64::from(segment.first) * width;
                let w = num(f64::from(segment.last - segment.first) * width);
                let (x, y) = (num(x), num(self.y));
                d.push_str(&format!("M{x} {y}h{w}v{height}h-{w}z"));
            }
            self.body.open(&format!("{}, merged", self.timeline.job_name(job)));
            self.body.path(&class, &d);
            self.body.close();
        }
    }

    fn outages(&mut self, unit: u32, area: Area) {
        let mine = self.timeline.outages.iter().filter(|outage| outage.unit == unit);
        for outage in mine.take(self.limits.marks / 4) {
            let (x, end) = (self.x(outage.from), self.x(outage.to));
            let class = match outage.state {
                UnitState::Down => "g-down",
                UnitState::Draining | UnitState::Up => "g-drain",
            };
            self.seen.down |= outage.state == UnitState::Down;
            self.seen.draining |= outage.state == UnitState::Draining;
            self.body.open(&words::outage(self.timeline, outage));
            let area = Area { x, width: (end - x).max(1.5), ..area };
            self.body.rect(class, area, 0.0);
            // Bars may cover the ground: the edge below them shows all the same.
            let edge = Area { y: area.y + area.height + 1.0, height: 3.0, ..area };
            self.body.rect(if class == "g-down" { "g-bad" } else { "g-warn" }, edge, 0.0);
            self.body.close();
        }
    }

    /// What is to be marked, by unit.
    fn marks(&self) -> Vec<Vec<Mark>> {
        let timeline = self.timeline;
        let mut marks: Vec<Vec<Mark>> = timeline.units.iter().map(|_| Vec::new()).collect();
        for lease in &timeline.leases {
            let starts = timeline.starts_of(lease).iter();
            let failed = starts.rev().find(|start| start.how == How::Failed);
            let failed = failed.map(|start| (start.to, "fail"));
            let revoked = lease.revoked.map(|(t, _)| (t, "revoke"));
            for (t, symbol) in failed.into_iter().chain(revoked) {
                for place in timeline.places_of(lease) {
                    let title = words::lease(timeline, lease, 80);
                    let mark = Mark { t, lane: place.lane, symbol, title };
                    marks[place.unit as usize].push(mark);
                }
            }
        }
        for eviction in &timeline.evictions {
            let model = &timeline.line.models[eviction.model as usize].name;
            let at = crate::duration::moment(eviction.t);
            let title = format!("model {model} evicted at {at}");
            let mark = Mark { t: eviction.t, lane: 0, symbol: "evict", title };
            marks[eviction.unit as usize].push(mark);
        }
        marks
    }

    /// Draws at most one mark of a kind in a few pixels, and says how many it stands for.
    fn draw_marks(&mut self, marks: &[Mark], top: f64, (height, gap): (f64, f64), whole: f64) {
        // A failure is marked inside the bar that failed, so that the next one's name stays free.
        let symbols = [("evict", 0.0, whole), ("revoke", 0.0, 3.0), ("fail", -7.0, height / 2.0)];
        for (symbol, dx, dy) in symbols {
            let mut mine: Vec<&Mark> = marks.iter().filter(|mark| mark.symbol == symbol).collect();
            mine.sort_by_key(|mark| (mark.lane, mark.t));
            self.seen.evicted |= symbol == "evict" && !mine.is_empty();
            self.seen.revoked |= symbol == "revoke" && !mine.is_empty();
            self.seen.failed |= symbol == "fail" && !mine.is_empty();
            let lanes: u32 = self.timeline.units.iter().map(|unit| unit.lanes.max(1)).sum();
            let share = self.limits.marks / (lanes as usize).clamp(1, self.limits.lanes);
            let width = ((PLOT.1 - PLOT.0) / share.max(4) as f64).max(3.0);
            let place = |mark: &Mark| (mark.lane, ((self.x(mark.t) - PLOT.0) / width) as u64);
            let mut drawn = Vec::new();
            for near in mine.chunk_by(|a, b| place(a) == place(b)) {
                let title = match near.len() {
                    1 => near[0].title.clone(),
                    many => format!("{many} here, the first:\n{}", near[0].title),
                };
                let y = top + f64::from(near[0].lane) * (height + gap) + dy;
                drawn.push((self.x(near[0].t) + dx, y, title));
            }
            for (x, y, title) in drawn {
                self.body.mark(symbol, x, y, &title);
            }
        }
        self.body.raw("\n");
    }
}
