//! From marks to boxes: what hangs together, and around it a box.

use super::passes::{Size, TILE};
use crate::defect::PixelBox;

/// Marks up to this far apart, along both axes, hang together.
const BRIDGED: u32 = 2;
/// Fewer marks than this are no fault.
const MARKS_MIN: u32 = 6;
/// The difference lets a pixel off at each edge, so a box is wider than its marks by this.
const BORDER: u32 = 1;

/// The boxes around marks that hang together, in the order of their first marks. Looks only
/// into tiles that have marks in them.
#[must_use]
pub fn regions(marks: &[u8], counts: &[u32], size: Size) -> Vec<PixelBox> {
    let mut open = marks.to_vec();
    let mut found = Vec::new();
    for [left, top] in tiles_with_marks(counts, size) {
        for y in top..(top + TILE).min(size.height) {
            for x in left..(left + TILE).min(size.width) {
                if open[at(size, x, y)] != 0 {
                    found.push(gather(&mut open, size, [x, y]));
                }
            }
        }
    }
    let large = found.into_iter().filter(|region| region.marks >= MARKS_MIN);
    let mut boxes: Vec<PixelBox> = large.map(|region| region.bounds(size)).collect();
    boxes.sort_by_key(|bounds| (bounds.y, bounds.x));
    boxes
}

fn tiles_with_marks(counts: &[u32], size: Size) -> impl Iterator<Item = [u32; 2]> {
    let [tiles_x, _] = size.tiles();
    let marked = (0..).zip(counts).filter(|(_, count)| **count > 0);
    marked.map(move |(tile, _)| [tile % tiles_x * TILE, tile / tiles_x * TILE])
}

/// Marks that hang together.
struct Region {
    marks: u32,
    min: [u32; 2],
    max: [u32; 2],
}

impl Region {
    fn bounds(&self, size: Size) -> PixelBox {
        let low = self.min.map(|first| first.saturating_sub(BORDER));
        let right = (self.max[0] + BORDER).min(size.width - 1);
        let bottom = (self.max[1] + BORDER).min(size.height - 1);
        PixelBox { x: low[0], y: low[1], width: right - low[0] + 1, height: bottom - low[1] + 1 }
    }
}

/// Takes out of `open` all that hangs together with a mark.
fn gather(open: &mut [u8], size: Size, first: [u32; 2]) -> Region {
    let mut region = Region { marks: 0, min: first, max: first };
    let mut edge = vec![first];
    open[at(size, first[0], first[1])] = 0;
    // Each mark enters the edge once, so this ends.
    while let Some([x, y]) = edge.pop() {
        region.marks += 1;
        region.min = [region.min[0].min(x), region.min[1].min(y)];
        region.max = [region.max[0].max(x), region.max[1].max(y)];
        for near_y in y.saturating_sub(BRIDGED)..=(y + BRIDGED).min(size.height - 1) {
            for near_x in x.saturating_sub(BRIDGED)..=(x + BRIDGED).min(size.width - 1) {
                let near = &mut open[at(size, near_x, near_y)];
                if *near != 0 {
                    *near = 0;
                    edge.push([near_x, near_y]);
                }
            }
        }
    }
    region
}

fn at(size: Size, x: u32, y: u32) -> usize {
    y as usize * size.width as usize + x as usize
}
