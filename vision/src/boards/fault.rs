//! Faults, as etching and drilling make them, drawn into a design.

use super::canvas::{Bounds, Canvas, Material, Point, SUB, Shape, Spot};
use super::design::{Design, Trace};
use crate::defect::Class;
use crate::rng::Rng;

/// Tries to find a place for a fault before it is given up.
const TRIES: u32 = 2000;
/// The least distance between two faults.
const APART: i32 = 44 * SUB;
/// Lengths of one trace piece that are too short for a fault in their middle.
const TRACE_LENGTH_MIN: i32 = 30 * SUB;
/// No fault is nearer than this to the end of a straight piece.
const END_MARGIN: i32 = 12 * SUB;

const BARE: Spot = Spot { material: Material::Laminate, net: 0 };

/// A fault that has been drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) class: Class,
    pub(super) bounds: Bounds,
}

/// Draws one fault of a class, away from those already there. None, if no place was found.
pub(super) fn inflict(
    canvas: &mut Canvas,
    design: &Design,
    class: Class,
    others: &[Fault],
    rng: &mut Rng,
) -> Option<Fault> {
    let mut bench = Bench { canvas, design, others, rng };
    (0..TRIES).find_map(|_| bench.attempt(class)).map(|bounds| Fault { class, bounds })
}

struct Bench<'a> {
    canvas: &'a mut Canvas,
    design: &'a Design,
    others: &'a [Fault],
    rng: &'a mut Rng,
}

/// A spot on a trace, with the directions along it and across it in 1/256.
#[derive(Clone, Copy)]
struct Place {
    point: Point,
    along: Point,
    across: Point,
    trace: Trace,
}

impl Bench<'_> {
    fn attempt(&mut self, class: Class) -> Option<Bounds> {
        match class {
            Class::MissingHole => self.missing_hole(),
            Class::MouseBite => self.mouse_bite(),
            Class::OpenCircuit => self.open_circuit(),
            Class::Short => self.short(),
            Class::Spur => self.spur(),
            Class::SpuriousCopper => self.spurious_copper(),
        }
    }

    fn missing_hole(&mut self) -> Option<Bounds> {
        let hole = self.design.holes[self.rng.index(self.design.holes.len())];
        self.is_apart(hole.centre)?;
        let plugged = Spot::new(Material::Pad, hole.net);
        self.canvas.alter(Shape::disc(hole.centre, hole.radius), |_| Some(plugged))
    }

    fn mouse_bite(&mut self) -> Option<Bounds> {
        let place = self.place()?;
        self.is_free_beside(place, place.across)?;
        let Trace { radius, net, .. } = place.trace;
        let narrow = radius < 5 * SUB;
        let percent = if narrow { self.rng.range(46, 60) } else { self.rng.range(36, 52) };
        let depth = 2 * radius * percent / 100;
        let size = if narrow { self.rng.range(13, 20) } else { self.rng.range(20, 28) };
        let mut bounds = None;
        for (sideways, smaller) in [(0, 0), (-1, self.rng.range(2, 6)), (1, self.rng.range(2, 6))] {
            let middle = place.point.moved(place.along, sideways * self.rng.range(8, size));
            let bite = middle.moved(place.across, radius - depth + size);
            let shape = Shape::disc(bite, size - smaller);
            let eaten = self.canvas.alter(shape, |spot| etched(spot, net));
            bounds = union(bounds, eaten);
        }
        bounds
    }

    fn open_circuit(&mut self) -> Option<Bounds> {
        let place = self.place()?;
        self.is_free_beside(place, place.across)?;
        self.is_free_beside(place, opposite(place.across))?;
        let Trace { radius, net, .. } = place.trace;
        let half = self.rng.range(3 * SUB, 5 * SUB) + radius / 8;
        let (mut before, mut behind) = (half, half);
        let mut bounds = None;
        for offset in (-radius..=radius).step_by(2) {
            // Both ragged ends wander a little from strip to strip.
            before = (before + self.rng.range(-2, 2)).clamp(half - SUB, half + SUB);
            behind = (behind + self.rng.range(-2, 2)).clamp(half - SUB, half + SUB);
            let middle = place.point.moved(place.across, offset);
            let from = middle.moved(place.along, -before);
            let to = middle.moved(place.along, behind);
            let shape = Shape::Stroke { from, to, radius: 3 };
            let eaten = self.canvas.alter(shape, |spot| etched(spot, net));
            bounds = union(bounds, eaten);
        }
        bounds
    }

    fn spur(&mut self) -> Option<Bounds> {
        let place = self.place()?;
        let Trace { radius, net, .. } = place.trace;
        let length = self.rng.range(6 * SUB, 10 * SUB);
        let slant = self.rng.range(-100, 100);
        let (thick, thin) = (self.rng.range(11, 15), self.rng.range(7, 10));
        let beads = (0..=length).step_by(4).map(|out| {
            let middle = place.point.moved(place.across, radius + out);
            let centre = middle.moved(place.along, (out * slant) >> 8);
            Shape::disc(centre, thick + (thin - thick) * out / length)
        });
        let beads: Vec<Shape> = beads.collect();
        let lonely = |spot: Spot| spot == BARE;
        let tip_free = self.canvas.all(beads[beads.len() - 1].grown(5 * SUB), lonely);
        let allowed = |spot: Spot| spot == BARE || spot == Spot::new(Material::Copper, net);
        let rest_free = beads.iter().all(|bead| self.canvas.all(bead.grown(4 * SUB), allowed));
        (tip_free && rest_free).then(|| self.deposit(&beads, net))?
    }

    fn short(&mut self) -> Option<Bounds> {
        let (start, heading) = self.edge_to_start_from()?;
        let net = self.canvas.at(start.x, start.y).net;
        let spots = |out: i32| {
            let point = start.moved(heading, out);
            self.canvas.at(point.x, point.y)
        };
        let inside = (0..30 * SUB).find(|&out| !spots(out).conducts() || spots(out).net != net)?;
        let gap = (0..=22 * SUB).find(|&out| spots(inside + out) != BARE)?;
        let beyond = spots(inside + gap);
        if gap < 5 * SUB || !beyond.conducts() || beyond.net == net {
            return None;
        }
        let thickness = self.rng.range(9, 14);
        let sideways = Point::new(-heading.y, heading.x);
        let mut beads = Vec::new();
        for out in (-SUB..=gap + SUB).step_by(5) {
            let wander = self.rng.range(-3, 3);
            let centre = start.moved(heading, inside + out).moved(sideways, wander);
            beads.push(Shape::disc(centre, thickness + self.rng.range(-1, 2)));
        }
        self.is_apart(start.moved(heading, inside + gap / 2))?;
        let allowed =
            |spot: Spot| spot == BARE || spot.conducts() && [net, beyond.net].contains(&spot.net);
        let free = beads.iter().all(|bead| self.canvas.all(bead.grown(3 * SUB), allowed));
        free.then(|| self.deposit(&beads, net))?
    }

    fn spurious_copper(&mut self) -> Option<Bounds> {
        let centre =
            Point::new(self.rng.range(24 * SUB, 1000 * SUB), self.rng.range(24 * SUB, 744 * SUB));
        self.is_apart(centre)?;
        let size = self.rng.range(12, 22);
        let mut beads = vec![Shape::disc(centre, size)];
        for _ in 0..3 {
            let offset = Point::new(self.rng.range(-size, size), self.rng.range(-size, size));
            let point = Point::new(centre.x + offset.x, centre.y + offset.y);
            beads.push(Shape::disc(point, size * self.rng.range(5, 8) / 10));
        }
        let free =
            beads.iter().all(|bead| self.canvas.all(bead.grown(5 * SUB), |spot| spot == BARE));
        free.then(|| self.deposit(&beads, 0))?
    }

    fn deposit(&mut self, beads: &[Shape], net: u16) -> Option<Bounds> {
        let copper = Spot::new(Material::Copper, net);
        let mut bounds = None;
        for &bead in beads {
            let added = self.canvas.alter(bead, |spot| (spot == BARE).then_some(copper));
            bounds = union(bounds, added);
        }
        bounds
    }

    /// A spot on a trace that nothing covers and that no other fault is near.
    fn place(&mut self) -> Option<Place> {
        let trace = self.design.traces[self.rng.index(self.design.traces.len())];
        let (dx, dy) = (trace.to.x - trace.from.x, trace.to.y - trace.from.y);
        let length = trace.from.reach(trace.to);
        if length < TRACE_LENGTH_MIN {
            return None;
        }
        let out = self.rng.range(END_MARGIN, length - END_MARGIN);
        let point = Point::new(trace.from.x + dx.signum() * out, trace.from.y + dy.signum() * out);
        // 181/256 is the sine of 45 degrees.
        let part = if dx != 0 && dy != 0 { 181 } else { 256 };
        let along = Point::new(dx.signum() * part, dy.signum() * part);
        let left = Point::new(-along.y, along.x);
        let across = if self.rng.chance(50) { left } else { opposite(left) };
        self.is_apart(point)?;
        let bare_trace = |spot: Spot| spot == Spot::new(Material::Copper, trace.net);
        let from = point.moved(along, -8 * SUB);
        let to = point.moved(along, 8 * SUB);
        let middle = Shape::Stroke { from, to, radius: trace.radius - 2 };
        self.canvas.all(middle, bare_trace).then_some(Place { point, along, across, trace })
    }

    /// A spot in copper, and a direction in which a short may lead from it.
    fn edge_to_start_from(&mut self) -> Option<(Point, Point)> {
        if self.rng.chance(65) {
            let place = self.place()?;
            return Some((place.point, place.across));
        }
        let pad = self.design.pads[self.rng.index(self.design.pads.len())];
        let ways = [(256, 0), (0, 256), (-256, 0), (0, -256)];
        let (x, y) = ways[self.rng.index(ways.len())];
        Some((pad, Point::new(x, y)))
    }

    /// Only laminate beside a trace, as far as the next trace may come near.
    fn is_free_beside(&self, place: Place, side: Point) -> Option<()> {
        let reach = 3 * SUB;
        let middle = place.point.moved(side, place.trace.radius + reach + 2);
        let from = middle.moved(place.along, -6 * SUB);
        let to = middle.moved(place.along, 6 * SUB);
        let beside = Shape::Stroke { from, to, radius: reach };
        self.canvas.all(beside, |spot| spot == BARE).then_some(())
    }

    fn is_apart(&self, point: Point) -> Option<()> {
        let print = |spot: Spot| spot.material == Material::Silk;
        let near = |fault: &Fault| {
            point.reach(fault.bounds.min).min(point.reach(fault.bounds.max)) < APART
        };
        let apart = !self.others.iter().any(near);
        // A fault on print is hidden by it, from the generator's eye as from any.
        let off_print = self.canvas.all(Shape::disc(point, 10 * SUB), |spot| !print(spot));
        (apart && off_print).then_some(())
    }
}

fn etched(spot: Spot, net: u16) -> Option<Spot> {
    (spot == Spot::new(Material::Copper, net)).then_some(BARE)
}

fn opposite(direction: Point) -> Point {
    Point::new(-direction.x, -direction.y)
}

fn union(one: Option<Bounds>, other: Option<Bounds>) -> Option<Bounds> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.including(other.min).including(other.max)),
        (one, other) => one.or(other),
    }
}
