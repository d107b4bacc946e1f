//! The router: draws traces between pads on the grid, around whatever is there already.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::canvas::{Point, SUB};
use super::plan::{NODES_X, NODES_Y, Node, Pad};

/// The eight ways on from a node; the odd ones are diagonal.
const STEPS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
/// What a step costs: straight, diagonal. In the ratio of their lengths.
const STEP_COSTS: [u32; 2] = [10, 14];
/// What a turn by 0, 45 and 90 degrees costs. Sharper ones are not made.
const TURN_COSTS: [u32; 3] = [0, 4, 24];
/// Copper keeps at least this far from the middle of another net's narrow trace.
const CLEARANCE: i32 = 10 * SUB;

/// Who may use a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Owner {
    Free,
    Net(u16),
    Blocked,
}

/// How wide a trace is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Gauge {
    Signal,
    Power,
}

/// The grid, and which net holds which of its nodes.
pub(super) struct Grid {
    owners: Vec<Owner>,
}

impl Grid {
    pub(super) fn new() -> Self {
        Self { owners: vec![Owner::Free; (NODES_X * NODES_Y) as usize] }
    }

    /// Takes the nodes of a rectangle out of use, corners included.
    pub(super) fn block(&mut self, min: Node, max: Node) {
        for y in min.y..=max.y {
            for x in min.x..=max.x {
                self.set(Node::new(x, y), Owner::Blocked);
            }
        }
    }

    /// Takes out of use the nodes within a margin of a straight line.
    pub(super) fn block_line(&mut self, from: Point, to: Point) {
        let (min_x, max_x) = (from.x.min(to.x) - CLEARANCE, from.x.max(to.x) + CLEARANCE);
        let (min_y, max_y) = (from.y.min(to.y) - CLEARANCE, from.y.max(to.y) + CLEARANCE);
        for node in nodes() {
            let point = node.point();
            let inside = (min_x..=max_x).contains(&point.x) && (min_y..=max_y).contains(&point.y);
            if inside && self.owner(node) == Some(Owner::Free) {
                self.set(node, Owner::Blocked);
            }
        }
    }

    /// Gives a pad's net the nodes that lie under it or too near to it for another net.
    pub(super) fn claim_pad(&mut self, pad: &Pad, net: u16) {
        let centre = pad.node.point();
        for node in nodes() {
            let point = node.point();
            let dx = ((point.x - centre.x).abs() - (pad.half_x - pad.corner)).max(0);
            let dy = ((point.y - centre.y).abs() - (pad.half_y - pad.corner)).max(0);
            let reach = pad.corner + CLEARANCE;
            if dx * dx + dy * dy < reach * reach {
                self.claim(node, net);
            }
        }
    }

    /// Gives all that one net holds to another.
    pub(super) fn rename(&mut self, from: u16, to: u16) {
        for owner in &mut self.owners {
            if *owner == Owner::Net(from) {
                *owner = Owner::Net(to);
            }
        }
    }

    /// Whether a via fits at a node: all around it is free.
    pub(super) fn fits_via(&self, node: Node) -> bool {
        around(node).all(|near| self.owner(near) == Some(Owner::Free))
    }

    /// Gives a net a node and all around it.
    pub(super) fn claim_via(&mut self, node: Node, net: u16) {
        for near in around(node) {
            self.claim(near, net);
        }
    }

    /// The way from one node to another over nodes that are free or belong to one of the nets;
    /// claims it for the first of them. The corners of the way are returned.
    pub(super) fn route(
        &mut self,
        from: Node,
        to: Node,
        nets: [u16; 2],
        gauge: Gauge,
    ) -> Option<Vec<Node>> {
        let way = self.search(from, to, nets, gauge)?;
        for pair in way.windows(2) {
            for node in beside(pair[0], pair[1], gauge) {
                self.claim(node, nets[0]);
            }
        }
        Some(corners(&way))
    }

    fn search(&self, from: Node, to: Node, nets: [u16; 2], gauge: Gauge) -> Option<Vec<Node>> {
        let states = (NODES_X * NODES_Y) as usize * STEPS.len();
        let mut costs = vec![u32::MAX; states];
        let mut previous = vec![usize::MAX; states];
        let mut open = BinaryHeap::new();
        for heading in 0..STEPS.len() {
            costs[state(from, heading)] = 0;
            open.push(Reverse((estimate(from, to), 0, state(from, heading))));
        }
        while let Some(Reverse((_, cost, here))) = open.pop() {
            let (node, heading) = node_of(here);
            if node == to {
                return Some(trace_back(&previous, here));
            }
            if cost > costs[here] {
                continue;
            }
            for (turn, turn_cost) in [(0, 0), (1, 1), (7, 1), (2, 2), (6, 2)] {
                let next_heading = (heading + turn) % STEPS.len();
                let (step_x, step_y) = STEPS[next_heading];
                let next = Node::new(node.x + step_x, node.y + step_y);
                if !beside(node, next, gauge).all(|near| self.open_to(near, nets)) {
                    continue;
                }
                let turn_cost: u32 = if node == from { 0 } else { TURN_COSTS[turn_cost] };
                let next_cost = cost + STEP_COSTS[next_heading % 2] + turn_cost;
                let there = state(next, next_heading);
                if next_cost < costs[there] {
                    costs[there] = next_cost;
                    previous[there] = here;
                    open.push(Reverse((next_cost + estimate(next, to), next_cost, there)));
                }
            }
        }
        None
    }

    fn open_to(&self, node: Node, nets: [u16; 2]) -> bool {
        match self.owner(node) {
            Some(Owner::Free) => true,
            Some(Owner::Net(net)) => nets.contains(&net),
            Some(Owner::Blocked) | None => false,
        }
    }

    fn claim(&mut self, node: Node, net: u16) {
        match self.owner(node) {
            Some(Owner::Free) => self.set(node, Owner::Net(net)),
            Some(Owner::Net(other)) if other != net => self.set(node, Owner::Blocked),
            Some(Owner::Net(_) | Owner::Blocked) | None => {}
        }
    }

    fn owner(&self, node: Node) -> Option<Owner> {
        on_grid(node).then(|| self.owners[index(node)])
    }

    fn set(&mut self, node: Node, owner: Owner) {
        if on_grid(node) {
            self.owners[index(node)] = owner;
        }
    }
}

fn nodes() -> impl Iterator<Item = Node> {
    (0..NODES_Y).flat_map(|y| (0..NODES_X).map(move |x| Node::new(x, y)))
}

fn around(node: Node) -> impl Iterator<Item = Node> {
    (0..9).map(move |place| Node::new(node.x - 1 + place % 3, node.y - 1 + place / 3))
}

/// The nodes that a step takes up: where it ends, the corners that a diagonal cuts, and for a
/// wide trace all around its end.
fn beside(from: Node, to: Node, gauge: Gauge) -> impl Iterator<Item = Node> {
    let cut = [Node::new(from.x, to.y), Node::new(to.x, from.y), from, to];
    let wide = (gauge == Gauge::Power).then(|| around(to)).into_iter().flatten();
    cut.into_iter().chain(wide)
}

fn on_grid(node: Node) -> bool {
    (0..NODES_X).contains(&node.x) && (0..NODES_Y).contains(&node.y)
}

fn index(node: Node) -> usize {
    (node.y * NODES_X + node.x) as usize
}

fn state(node: Node, heading: usize) -> usize {
    index(node) * STEPS.len() + heading
}

fn node_of(state: usize) -> (Node, usize) {
    let index = (state / STEPS.len()) as i32;
    (Node::new(index % NODES_X, index / NODES_X), state % STEPS.len())
}

/// A lower bound of the cost that is left.
fn estimate(from: Node, to: Node) -> u32 {
    let (dx, dy) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
    STEP_COSTS[0] * dx.abs_diff(dy) + STEP_COSTS[1] * dx.min(dy)
}

fn trace_back(previous: &[usize], last: usize) -> Vec<Node> {
    let mut way = vec![node_of(last).0];
    let mut here = last;
    while previous[here] != usize::MAX {
        here = previous[here];
        way.push(node_of(here).0);
    }
    way.reverse();
    way
}

/// The way without the nodes in which it goes straight on.
fn corners(way: &[Node]) -> Vec<Node> {
    let step = |pair: &[Node]| (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
    let mut kept = vec![way[0]];
    for three in way.windows(3) {
        if step(&three[..2]) != step(&three[1..]) {
            kept.push(three[1]);
        }
    }
    kept.extend(way.last().filter(|_| way.len() > 1));
    kept
}
