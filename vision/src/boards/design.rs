//! The design of a board: parts, nets and traces, and the drawing of them.

use std::cmp::Ordering;

use super::canvas::{Canvas, Material, Point, SUB, Shape, Spot};
use super::plan::{Label, NODES_X, NODES_Y, Node, Pad, Plan, Role};
use super::route::{Gauge, Grid};
use crate::font;
use crate::rng::Rng;

/// Half the width of a trace, in subpixels.
const SIGNAL_RADIUS: i32 = 14;
const POWER_RADIUS: i32 = 28;
const VIA_RADIUS: i32 = 7 * SUB;
const VIA_HOLE: i32 = 4 * SUB;
/// Bare laminate between the ground area and all else.
const POUR_GAP: i32 = 8 * SUB;
/// Pieces of the ground area up to this size, in subpixels, are left out.
const ISLAND_MAX: usize = 5000 * (SUB * SUB) as usize;
/// The net of the ground area.
const GROUND: u16 = u16::MAX;
const SILK_RADIUS: i32 = 6;

/// A straight piece of a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trace {
    pub(super) from: Point,
    pub(super) to: Point,
    pub(super) radius: i32,
    pub(super) net: u16,
}

impl Trace {
    pub(super) fn shape(&self) -> Shape {
        Shape::Stroke { from: self.from, to: self.to, radius: self.radius }
    }
}

/// A plated hole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    pub(super) centre: Point,
    pub(super) radius: i32,
    pub(super) net: u16,
}

/// A board as it should be.
pub(super) struct Design {
    pub(super) canvas: Canvas,
    pub(super) traces: Vec<Trace>,
    pub(super) pads: Vec<Point>,
    /// The holes that could be missing: all but those for screws.
    pub(super) holes: Vec<Hole>,
}

impl Design {
    /// The design for a seed: the parts stand where they always do, the nets differ.
    pub(super) fn new(seed: u64) -> Self {
        let plan = Plan::controller_board();
        let mut wiring = Wiring::new(&plan, Rng::new(seed));
        wiring.connect_controller();
        wiring.connect_rest();
        wiring.add_vias();
        wiring.draw(&plan)
    }
}

/// The nets while they are being routed.
struct Wiring<'a> {
    rng: Rng,
    grid: Grid,
    pads: &'a [Pad],
    /// The net of each pad; a pad that nothing is joined to has one of its own.
    nets: Vec<u16>,
    joined: Vec<bool>,
    traces: Vec<Trace>,
    vias: Vec<(Node, u16)>,
}

impl<'a> Wiring<'a> {
    fn new(plan: &'a Plan, rng: Rng) -> Self {
        let mut grid = Grid::new();
        for &(min, max) in &plan.keepouts {
            grid.block(min, max);
        }
        let nets: Vec<u16> = (1..=plan.pads.len() as u16).collect();
        for (pad, &net) in plan.pads.iter().zip(&nets) {
            grid.claim_pad(pad, net);
        }
        for label in &plan.labels {
            let (corner, opposite) = corners(label);
            grid.block_line(corner, opposite);
        }
        let joined = vec![false; plan.pads.len()];
        let (traces, vias) = (Vec::new(), Vec::new());
        Self { rng, grid, pads: &plan.pads, nets, joined, traces, vias }
    }

    /// Joins each pin of the controller to a part that is near, or at least not too far.
    fn connect_controller(&mut self) {
        let mut pins = self.open(|role| role == Role::Controller);
        self.rng.shuffle(&mut pins);
        for pin in pins {
            let connector = self.rng.chance(60);
            let wanted = if connector { Role::Connector } else { Role::Signal };
            let targets = self.open(|role| role == wanted);
            self.join_nearest(pin, &targets, 10, 10, Gauge::Signal);
        }
    }

    /// Joins what is left over among itself, the power pins by wide traces.
    fn connect_rest(&mut self) {
        let power = self.open(|role| role == Role::Power);
        for pad in power {
            let targets = self.open(|role| role == Role::Power || role == Role::Signal);
            self.join_nearest(pad, &targets, 4, 8, Gauge::Power);
        }
        let other = |role| role == Role::Signal || role == Role::Connector;
        let mut rest = self.open(other);
        self.rng.shuffle(&mut rest);
        for pad in rest {
            if !self.joined[pad] {
                let targets = self.open(other);
                self.join_nearest(pad, &targets, 12, 5, Gauge::Signal);
            }
        }
    }

    /// Leads pads that are still alone, and some that are not, to a via some way off.
    fn add_vias(&mut self) {
        for pad in 0..self.pads.len() {
            let alone = !self.joined[pad] && self.pads[pad].role != Role::Mechanical;
            if alone || (self.pads[pad].role == Role::Signal && self.rng.chance(35)) {
                self.lead_to_via(pad);
            }
        }
    }

    fn open(&self, wanted: impl Fn(Role) -> bool) -> Vec<usize> {
        let open = |&pad: &usize| !self.joined[pad] && wanted(self.pads[pad].role);
        (0..self.pads.len()).filter(open).collect()
    }

    fn join_nearest(
        &mut self,
        pad: usize,
        targets: &[usize],
        spread: i32,
        tries: usize,
        gauge: Gauge,
    ) {
        let mut ranked: Vec<(i32, usize)> = targets
            .iter()
            .filter(|&&target| self.pads[target].part != self.pads[pad].part)
            .map(|&target| (self.distance(pad, target) + self.rng.range(0, spread), target))
            .collect();
        ranked.sort_unstable();
        for &(_, target) in ranked.iter().take(tries) {
            let nets = [self.nets[pad], self.nets[target]];
            let (here, there) = (self.pads[pad].node, self.pads[target].node);
            if let Some(way) = self.grid.route(here, there, nets, gauge) {
                self.lay(&way, nets[0], gauge);
                self.merge(nets[1], nets[0]);
                self.joined[pad] = true;
                self.joined[target] = true;
                return;
            }
        }
    }

    /// How far apart two pads are, for choosing: a lead would rather go straight on.
    fn distance(&self, pad: usize, target: usize) -> i32 {
        let (here, there) = (&self.pads[pad], self.pads[target].node);
        let (dx, dy) = ((here.node.x - there.x).abs(), (here.node.y - there.y).abs());
        match here.half_x.cmp(&here.half_y) {
            Ordering::Greater => dx / 2 + 2 * dy,
            Ordering::Equal => dx.max(dy),
            Ordering::Less => 2 * dx + dy / 2,
        }
    }

    fn lead_to_via(&mut self, pad: usize) {
        let (here, net) = (self.pads[pad].node, self.nets[pad]);
        for _ in 0..60 {
            let spot = Node::new(
                (here.x + self.rng.range(-9, 9)).clamp(1, NODES_X - 2),
                (here.y + self.rng.range(-9, 9)).clamp(1, NODES_Y - 2),
            );
            if !self.grid.fits_via(spot) {
                continue;
            }
            if let Some(way) = self.grid.route(here, spot, [net, net], Gauge::Signal) {
                self.lay(&way, net, Gauge::Signal);
                self.grid.claim_via(spot, net);
                self.vias.push((spot, net));
                self.joined[pad] = true;
                return;
            }
        }
    }

    fn lay(&mut self, way: &[Node], net: u16, gauge: Gauge) {
        let radius = match gauge {
            Gauge::Signal => SIGNAL_RADIUS,
            Gauge::Power => POWER_RADIUS,
        };
        for pair in way.windows(2) {
            self.traces.push(Trace { from: pair[0].point(), to: pair[1].point(), radius, net });
        }
    }

    fn merge(&mut self, from: u16, to: u16) {
        self.grid.rename(from, to);
        let traces = self.traces.iter_mut().map(|trace| &mut trace.net);
        let vias = self.vias.iter_mut().map(|(_, net)| net);
        for net in self.nets.iter_mut().chain(traces).chain(vias) {
            if *net == from {
                *net = to;
            }
        }
    }

    /// Fills with ground what is left over, at a distance from all else.
    fn pour(&self, canvas: &mut Canvas, plan: &Plan) {
        let bare = Spot::new(Material::Laminate, 0);
        let ground = Spot::new(Material::Copper, GROUND);
        for &(min, max) in &plan.pours {
            canvas.fill(area(min, max), ground);
        }
        for trace in &self.traces {
            canvas.fill(trace.shape().grown(POUR_GAP), bare);
        }
        for pad in self.pads {
            canvas.fill(pad.shape().grown(POUR_GAP), bare);
        }
        for &(node, _) in &self.vias {
            canvas.fill(Shape::disc(node.point(), VIA_RADIUS + POUR_GAP), bare);
        }
        for &(min, max) in &plan.pours {
            canvas.clear_islands(area(min, max), ground, ISLAND_MAX, bare);
        }
    }

    fn draw(self, plan: &Plan) -> Design {
        let mut canvas = Canvas::new();
        let centre = Point::new(512 * SUB, 384 * SUB);
        let (half_x, half_y, corner) = (497 * SUB, 371 * SUB, 20 * SUB);
        let outline = Shape::Round { centre, half_x, half_y, corner };
        canvas.fill(outline, Spot::new(Material::Laminate, 0));
        self.pour(&mut canvas, plan);
        print(&mut canvas, plan);
        for trace in &self.traces {
            canvas.fill(trace.shape(), Spot::new(Material::Copper, trace.net));
        }
        let mut holes = Vec::new();
        for (pad, &net) in self.pads.iter().zip(&self.nets) {
            canvas.fill(pad.shape(), Spot::new(Material::Pad, net));
            let hole = Hole { centre: pad.node.point(), radius: pad.hole, net };
            if pad.hole > 0 && pad.role != Role::Mechanical {
                holes.push(hole);
            }
            canvas.fill(Shape::disc(hole.centre, hole.radius), Spot::new(Material::Hole, 0));
        }
        for &(node, net) in &self.vias {
            let centre = node.point();
            canvas.fill(Shape::disc(centre, VIA_RADIUS), Spot::new(Material::Pad, net));
            canvas.fill(Shape::disc(centre, VIA_HOLE), Spot::new(Material::Hole, 0));
            holes.push(Hole { centre, radius: VIA_HOLE, net });
        }
        let pads = self.pads.iter().map(|pad| pad.node.point()).collect();
        Design { canvas, traces: self.traces, pads, holes }
    }
}

/// Prints on the laminate. Traces and pads are drawn later, over it.
fn print(canvas: &mut Canvas, plan: &Plan) {
    let silk = Spot::new(Material::Silk, 0);
    for &(from, to) in &plan.lines {
        canvas.fill(Shape::Stroke { from, to, radius: SILK_RADIUS }, silk);
    }
    for &(centre, radius) in &plan.rings {
        canvas.fill(Shape::disc(centre, radius + SILK_RADIUS), silk);
        let inside = Shape::disc(centre, radius - SILK_RADIUS);
        canvas.fill(inside, Spot::new(Material::Laminate, 0));
    }
    for label in &plan.labels {
        let (corner, _) = corners(label);
        for (column, row) in font::dots(label.text) {
            let dot = label.dot;
            let centre =
                Point::new(corner.x + column * dot + dot / 2, corner.y + row * dot + dot / 2);
            canvas.fill(Shape::disc(centre, dot / 2 + 1), silk);
        }
    }
}

/// The area between two nodes and a little more.
fn area(min: Node, max: Node) -> Shape {
    let (min, max) = (min.point(), max.point());
    Shape::Round {
        centre: Point::new((min.x + max.x) / 2, (min.y + max.y) / 2),
        half_x: (max.x - min.x) / 2 + SUB,
        half_y: (max.y - min.y) / 2 + SUB,
        corner: 6 * SUB,
    }
}

/// The upper left and the lower right corner of a label.
fn corners(label: &Label) -> (Point, Point) {
    let half_x = font::text_width(label.text) * label.dot / 2;
    let half_y = font::GLYPH_HEIGHT * label.dot / 2;
    let Label { centre, .. } = label;
    (
        Point::new(centre.x - half_x, centre.y - half_y),
        Point::new(centre.x + half_x, centre.y + half_y),
    )
}
