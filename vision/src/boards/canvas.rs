//! The drawing of a board, finer than any picture of it, and the shapes to draw with.
//!
//! Lengths are in subpixels, a quarter of a pixel, and all arithmetic is in integers.

/// Subpixels in a pixel, along one side.
pub(super) const SUB: i32 = 4;
/// Pixels in a row of a picture.
pub(super) const WIDTH: i32 = 1024;
/// Rows of a picture.
pub(super) const HEIGHT: i32 = 768;
const COLUMNS: i32 = WIDTH * SUB;
const ROWS: i32 = HEIGHT * SUB;

/// What the camera sees at one spot.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Material {
    /// The carrier under the board, seen beside it.
    Carrier,
    /// Solder mask on the bare laminate.
    Laminate,
    /// Solder mask on copper.
    Copper,
    /// Copper free of mask, gilded.
    Pad,
    /// A drilled hole.
    Hole,
    /// White print.
    Silk,
}

/// A spot of the drawing: its material, and the net that its copper belongs to (0: none).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Spot {
    pub(super) material: Material,
    pub(super) net: u16,
}

impl Spot {
    pub(super) fn new(material: Material, net: u16) -> Self {
        Self { material, net }
    }

    /// Copper that conducts, under the mask or not.
    pub(super) fn conducts(self) -> bool {
        matches!(self.material, Material::Copper | Material::Pad)
    }
}

/// A place on the drawing, in subpixels.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Point {
    pub(super) fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// The point `along` subpixels further in `direction`, whose parts are in 1/256.
    pub(super) fn moved(self, direction: Point, along: i32) -> Self {
        let part = |unit: i32| (unit * along + 128) >> 8;
        Self::new(self.x + part(direction.x), self.y + part(direction.y))
    }

    /// The larger of the distances along the two axes.
    pub(super) fn reach(self, other: Point) -> i32 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }
}

/// An area of the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A rectangle with round corners; a disc, where the corner is as large as both halves.
    Round { centre: Point, half_x: i32, half_y: i32, corner: i32 },
    /// All that is within `radius` of the straight line between two points.
    Stroke { from: Point, to: Point, radius: i32 },
}

/// A rectangle of subpixels, both corners included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: Point,
    pub(super) max: Point,
}

impl Bounds {
    pub(super) fn including(self, point: Point) -> Self {
        Self {
            min: Point::new(self.min.x.min(point.x), self.min.y.min(point.y)),
            max: Point::new(self.max.x.max(point.x), self.max.y.max(point.y)),
        }
    }
}

impl Shape {
    pub(super) fn disc(centre: Point, radius: i32) -> Self {
        Self::Round { centre, half_x: radius, half_y: radius, corner: radius }
    }

    /// The same area and all that is within `margin` of it.
    pub(super) fn grown(self, margin: i32) -> Self {
        match self {
            Self::Round { centre, half_x, half_y, corner } => Self::Round {
                centre,
                half_x: half_x + margin,
                half_y: half_y + margin,
                corner: corner + margin,
            },
            Self::Stroke { from, to, radius } => Self::Stroke { from, to, radius: radius + margin },
        }
    }

    fn bounds(self) -> Bounds {
        match self {
            Self::Round { centre, half_x, half_y, .. } => Bounds {
                min: Point::new(centre.x - half_x, centre.y - half_y),
                max: Point::new(centre.x + half_x, centre.y + half_y),
            },
            Self::Stroke { from, to, radius } => Bounds {
                min: Point::new(from.x.min(to.x) - radius, from.y.min(to.y) - radius),
                max: Point::new(from.x.max(to.x) + radius, from.y.max(to.y) + radius),
            },
        }
    }

    fn contains(self, x: i32, y: i32) -> bool {
        match self {
            Self::Round { centre, half_x, half_y, corner } => {
                let dx = ((x - centre.x).abs() - (half_x - corner)).max(0);
                let dy = ((y - centre.y).abs() - (half_y - corner)).max(0);
                dx * dx + dy * dy <= corner * corner
            }
            Self::Stroke { from, to, radius } => within_stroke(from, to, radius, x, y),
        }
    }
}

fn within_stroke(from: Point, to: Point, radius: i32, x: i32, y: i32) -> bool {
    let (line_x, line_y) = (i64::from(to.x - from.x), i64::from(to.y - from.y));
    let (spot_x, spot_y) = (i64::from(x - from.x), i64::from(y - from.y));
    let length_squared = line_x * line_x + line_y * line_y;
    let along = spot_x * line_x + spot_y * line_y;
    let radius_squared = i64::from(radius) * i64::from(radius);
    if along <= 0 {
        return spot_x * spot_x + spot_y * spot_y <= radius_squared;
    }
    if along >= length_squared {
        let (end_x, end_y) = (i64::from(x - to.x), i64::from(y - to.y));
        return end_x * end_x + end_y * end_y <= radius_squared;
    }
    let across = spot_x * line_y - spot_y * line_x;
    across * across <= radius_squared * length_squared
}

/// The drawing: a spot for each subpixel.
#[derive(Clone)]
pub(super) struct Canvas {
    materials: Vec<Material>,
    nets: Vec<u16>,
}

impl Canvas {
    pub(super) fn new() -> Self {
        let spots = (COLUMNS * ROWS) as usize;
        Self { materials: vec![Material::Carrier; spots], nets: vec![0; spots] }
    }

    /// The spot at a place; beside the drawing there is only the carrier.
    pub(super) fn at(&self, x: i32, y: i32) -> Spot {
        if (0..COLUMNS).contains(&x) && (0..ROWS).contains(&y) {
            self.spot((y * COLUMNS + x) as usize)
        } else {
            Spot::new(Material::Carrier, 0)
        }
    }

    /// A row of materials from a place on, or None where it leaves the drawing.
    pub(super) fn materials(&self, x: i32, y: i32, length: i32) -> Option<&[Material]> {
        let inside = x >= 0 && x + length <= COLUMNS && (0..ROWS).contains(&y);
        let first = (y * COLUMNS + x) as usize;
        inside.then(|| &self.materials[first..first + length as usize])
    }

    /// Covers a shape.
    pub(super) fn fill(&mut self, shape: Shape, spot: Spot) {
        self.alter(shape, |_| Some(spot));
    }

    /// Changes the spots of a shape for which `change` has a new one. Returns the rectangle
    /// around those that are different now.
    pub(super) fn alter(
        &mut self,
        shape: Shape,
        change: impl Fn(Spot) -> Option<Spot>,
    ) -> Option<Bounds> {
        let mut changed: Option<Bounds> = None;
        for (x, y) in inside(shape) {
            let place = (y * COLUMNS + x) as usize;
            let old = self.spot(place);
            if let Some(new) = change(old).filter(|&new| new != old) {
                self.set(place, new);
                let point = Point::new(x, y);
                let bounds = changed.unwrap_or(Bounds { min: point, max: point });
                changed = Some(bounds.including(point));
            }
        }
        changed
    }

    /// Replaces each connected piece of spots like `from` that begins in the shape and has at
    /// most `size_max` of them.
    pub(super) fn clear_islands(&mut self, shape: Shape, from: Spot, size_max: usize, to: Spot) {
        let mut seen = vec![false; self.nets.len()];
        for (x, y) in inside(shape) {
            let island = self.flood(&mut seen, Point::new(x, y), from);
            if island.len() <= size_max {
                for place in island {
                    self.set(place, to);
                }
            }
        }
    }

    /// The places like `like` that hang together with `start` and were not seen before.
    fn flood(&self, seen: &mut [bool], start: Point, like: Spot) -> Vec<usize> {
        let mut island = Vec::new();
        let mut open = vec![start];
        // Each place enters the island once, so this ends.
        while let Some(Point { x, y }) = open.pop() {
            let place = (y * COLUMNS + x) as usize;
            if self.at(x, y) != like || seen[place] {
                continue;
            }
            seen[place] = true;
            island.push(place);
            open.extend(
                [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].map(|(x, y)| Point::new(x, y)),
            );
        }
        island
    }

    fn spot(&self, place: usize) -> Spot {
        Spot::new(self.materials[place], self.nets[place])
    }

    fn set(&mut self, place: usize, spot: Spot) {
        self.materials[place] = spot.material;
        self.nets[place] = spot.net;
    }

    /// Whether all spots of a shape pass.
    pub(super) fn all(&self, shape: Shape, pass: impl Fn(Spot) -> bool) -> bool {
        inside(shape).all(|(x, y)| pass(self.at(x, y)))
    }
}

/// The places of a shape, as far as they are on the drawing.
fn inside(shape: Shape) -> impl Iterator<Item = (i32, i32)> {
    let bounds = shape.bounds();
    let columns = bounds.min.x.max(0)..=bounds.max.x.min(COLUMNS - 1);
    let rows = bounds.min.y.max(0)..=bounds.max.y.min(ROWS - 1);
    rows.flat_map(move |y| columns.clone().map(move |x| (x, y)))
        .filter(move |&(x, y)| shape.contains(x, y))
}
