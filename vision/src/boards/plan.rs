//! Where the parts of the board stand: a controller with what it needs around it.
//!
//! Pads stand on the nodes of a grid, on which the router draws the traces later.

use super::canvas::{Point, SUB, Shape};

/// Subpixels from one node of the grid to the next.
pub(super) const PITCH: i32 = 14 * SUB;
/// Nodes in a row of the grid.
pub(super) const NODES_X: i32 = 70;
/// Rows of the grid.
pub(super) const NODES_Y: i32 = 51;

/// A node of the grid.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Node {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Node {
    pub(super) fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Where the node lies on the drawing.
    pub(super) fn point(self) -> Point {
        Point::new(29 * SUB + self.x * PITCH, 34 * SUB + self.y * PITCH)
    }
}

/// A pad of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pad {
    pub(super) node: Node,
    pub(super) half_x: i32,
    pub(super) half_y: i32,
    pub(super) corner: i32,
    /// The radius of the hole in it, 0 for none.
    pub(super) hole: i32,
    /// What the pad is for.
    pub(super) role: Role,
    /// The number of the part.
    pub(super) part: i32,
}

/// What a pad is for, as far as the netlist cares.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Role {
    /// A pin of the controller: the nets start here.
    Controller,
    /// A pin that leads off the board.
    Connector,
    /// A pin of another part.
    Signal,
    /// A pin that carries power: a wide trace.
    Power,
    /// Not part of any net: a screw hole, a test point for the camera.
    Mechanical,
}

impl Pad {
    pub(super) fn shape(&self) -> Shape {
        let Self { half_x, half_y, corner, .. } = *self;
        Shape::Round { centre: self.node.point(), half_x, half_y, corner }
    }
}

/// A word of print.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) centre: Point,
    pub(super) text: &'static str,
    /// Subpixels in a dot of the font.
    pub(super) dot: i32,
}

/// All that stands on the board before the traces are drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) pads: Vec<Pad>,
    /// White lines: from, to.
    pub(super) lines: Vec<(Point, Point)>,
    pub(super) rings: Vec<(Point, i32)>,
    pub(super) labels: Vec<Label>,
    /// Rectangles of nodes where no trace may run, corners included.
    pub(super) keepouts: Vec<(Node, Node)>,
    /// Rectangles of nodes in which ground fills what is left over.
    pub(super) pours: Vec<(Node, Node)>,
    /// The number of the last part placed.
    part: i32,
}

const PIXEL: i32 = SUB;

impl Plan {
    /// The plan of the one product that this generator makes.
    pub(super) fn controller_board() -> Self {
        let mut plan = Self::default();
        plan.controller();
        plan.connectors();
        plan.chips();
        plan.passives();
        plan.fixtures();
        plan.pours =
            vec![(Node::new(12, 37), Node::new(44, 49)), (Node::new(48, 0), Node::new(62, 15))];
        plan
    }

    fn controller(&mut self) {
        self.part += 1;
        for pin in 0..13 {
            self.lead(Node::new(26, 19 + pin), 12, 4, Role::Controller);
            self.lead(Node::new(44, 19 + pin), 12, 4, Role::Controller);
            self.lead(Node::new(29 + pin, 16), 4, 12, Role::Controller);
            self.lead(Node::new(29 + pin, 34), 4, 12, Role::Controller);
        }
        self.lead(Node::new(35, 25), 40, 40, Role::Mechanical);
        for spot in 0..9 {
            let node = Node::new(33 + 2 * (spot % 3), 23 + 2 * (spot / 3));
            self.round(node, 6, 3, Role::Mechanical);
        }
        self.outline(Node::new(28, 18), Node::new(42, 32));
        self.rings.push((Node::new(29, 19).point(), 3 * PIXEL));
        self.keepouts.push((Node::new(27, 17), Node::new(43, 33)));
        self.label(Node::new(35, 20), (0, 0), "U1", 8);
        self.label(Node::new(35, 30), (0, 4), "LS-7 REV C", 6);
    }

    fn connectors(&mut self) {
        self.part += 1;
        for row in 0..9 {
            for column in [5, 9] {
                self.round(Node::new(column, 9 + 4 * row), 13, 7, Role::Connector);
            }
        }
        self.outline(Node::new(3, 7), Node::new(11, 43));
        self.label(Node::new(7, 6), (0, -6), "J1", 8);
        self.part += 1;
        for row in 0..8 {
            self.round(Node::new(65, 11 + 4 * row), 13, 7, Role::Connector);
        }
        self.outline(Node::new(63, 9), Node::new(67, 41));
        self.label(Node::new(65, 8), (0, -6), "J2", 8);
        self.part += 1;
        for column in 0..3 {
            self.round(Node::new(28 + 6 * column, 46), 20, 11, Role::Power);
        }
        self.outline(Node::new(25, 43), Node::new(43, 49));
        self.label(Node::new(34, 50), (0, 7), "J3  +24V  GND  PE", 6);
    }

    fn chips(&mut self) {
        self.chip(Node::new(50, 6), 4, "U2");
        self.chip(Node::new(47, 40), 7, "U3");
        self.chip(Node::new(14, 8), 4, "U4");
    }

    /// A chip with two rows of leads, the upper left one at `first`.
    fn chip(&mut self, first: Node, columns: i32, name: &'static str) {
        self.part += 1;
        for pin in 0..columns {
            self.lead(Node::new(first.x + 2 * pin, first.y), 6, 13, Role::Signal);
            self.lead(Node::new(first.x + 2 * pin, first.y + 6), 6, 13, Role::Signal);
        }
        let min = Node::new(first.x - 1, first.y + 2);
        let max = Node::new(first.x + 2 * columns - 1, first.y + 4);
        self.outline(min, max);
        self.keepouts.push((min, max));
        self.rings.push((Node::new(min.x + 1, min.y + 1).point(), 3 * PIXEL));
        self.label(Node::new((min.x + max.x) / 2, min.y + 1), (0, 0), name, 8);
    }

    fn passives(&mut self) {
        for (x, name) in [(14, "R1"), (20, "R2"), (26, "R3")] {
            self.two_pads(Node::new(x, 3), Node::new(x + 3, 3), name);
        }
        for (x, y, name) in [(21, 18, "C1"), (21, 28, "C2"), (49, 18, "C3"), (49, 28, "C4")] {
            self.two_pads(Node::new(x, y), Node::new(x, y + 3), name);
        }
        for (x, upper, lower) in [(54, "R4", "C5"), (57, "R5", "C6"), (60, "R6", "C7")] {
            self.two_pads(Node::new(x, 18), Node::new(x, 21), upper);
            self.two_pads(Node::new(x, 29), Node::new(x, 32), lower);
        }
        for (x, y, name) in [(15, 20, "R7"), (15, 27, "R8"), (15, 34, "R9")] {
            self.two_pads(Node::new(x, y), Node::new(x, y + 3), name);
        }
        self.two_pads(Node::new(44, 2), Node::new(47, 2), "D1");
        self.two_pads(Node::new(23, 38), Node::new(23, 41), "D2");
        self.part += 1;
        self.round(Node::new(32, 9), 12, 6, Role::Signal);
        self.round(Node::new(38, 9), 12, 6, Role::Signal);
        self.outline(Node::new(30, 7), Node::new(40, 11));
        self.label(Node::new(35, 9), (0, 0), "Y1", 8);
        self.part += 1;
        self.round(Node::new(15, 44), 16, 8, Role::Power);
        self.round(Node::new(19, 44), 16, 8, Role::Power);
        self.rings.push((Node::new(17, 44).point(), 66 * PIXEL));
        self.label(Node::new(17, 42), (0, -3), "C9 +", 7);
    }

    fn fixtures(&mut self) {
        for corner in [(2, 2), (67, 2), (2, 48), (67, 48)] {
            let node = Node::new(corner.0, corner.1);
            self.round(node, 24, 15, Role::Mechanical);
        }
        for (x, y) in [(8, 2), (61, 2), (8, 48)] {
            self.round(Node::new(x, y), 8, 0, Role::Mechanical);
        }
    }

    fn lead(&mut self, node: Node, half_x: i32, half_y: i32, role: Role) {
        let (half_x, half_y) = (half_x * PIXEL, half_y * PIXEL);
        self.pads.push(Pad {
            node,
            half_x,
            half_y,
            corner: 2 * PIXEL,
            hole: 0,
            role,
            part: self.part,
        });
    }

    fn round(&mut self, node: Node, radius: i32, hole: i32, role: Role) {
        let (radius, hole) = (radius * PIXEL, hole * PIXEL);
        self.pads.push(Pad {
            node,
            half_x: radius,
            half_y: radius,
            corner: radius,
            hole,
            role,
            part: self.part,
        });
    }

    fn two_pads(&mut self, first: Node, second: Node, name: &'static str) {
        self.part += 1;
        let upright = first.x == second.x;
        let (half_x, half_y) = if upright { (13, 11) } else { (11, 13) };
        self.lead(first, half_x, half_y, Role::Signal);
        self.lead(second, half_x, half_y, Role::Signal);
        let (one, two) = (first.point(), second.point());
        let centre = Point::new((one.x + two.x) / 2, (one.y + two.y) / 2);
        self.labels.push(Label { centre, text: name, dot: 6 });
    }

    fn outline(&mut self, min: Node, max: Node) {
        // Half way between the nodes, so that no trace runs along it.
        let half = PITCH / 2;
        let min = Point::new(min.point().x - half, min.point().y - half);
        let max = Point::new(max.point().x + half, max.point().y + half);
        let (right, low) = (Point::new(max.x, min.y), Point::new(min.x, max.y));
        self.lines.extend([(min, right), (right, max), (max, low), (low, min)]);
    }

    fn label(&mut self, node: Node, offset: (i32, i32), text: &'static str, dot: i32) {
        let point = node.point();
        let centre = Point::new(point.x + offset.0 * PIXEL, point.y + offset.1 * PIXEL);
        self.labels.push(Label { centre, text, dot });
    }
}
