//! The contact sheet: all boards on one picture, each fault in a box of its class's colour.

use crate::defect::{Class, Defect};
use crate::font;
use crate::picture::Rgb;

/// Boards beside each other.
const COLUMNS: u32 = 6;
/// A board is shown at one in so many of its pixels, along both axes.
const SCALE: u32 = 3;
const GAP: u32 = 8;
/// The line above each board, and the one below all.
const HEADER: u32 = 22;
const FOOTER: u32 = 34;
/// Pixels between a fault and the box around it.
const BOX_MARGIN: i32 = 4;

const PAPER: [u8; 3] = [24, 27, 32];
const INK: [u8; 3] = [222, 226, 232];
const GOOD: [u8; 3] = [96, 220, 120];
const BAD: [u8; 3] = [255, 96, 84];

/// The colour of a class's boxes.
#[must_use]
pub fn colour(class: Class) -> [u8; 3] {
    match class {
        Class::MissingHole => [255, 84, 214],
        Class::MouseBite => [255, 255, 255],
        Class::OpenCircuit => [40, 222, 255],
        Class::Short => [255, 72, 60],
        Class::Spur => [255, 236, 60],
        Class::SpuriousCopper => [166, 150, 255],
    }
}

/// A contact sheet while boards are being put on it.
///
/// ```
/// use lineside_vision::picture::Rgb;
/// use lineside_vision::report::ContactSheet;
/// let mut sheet = ContactSheet::new(1, 30, 30);
/// sheet.add("board-01.png", &Rgb::filled(30, 30, [0, 90, 50]), &[]);
/// let picture = sheet.finish("no truth to compare with");
/// assert!(picture.width() > 30);
/// ```
#[derive(Clone, Debug)]
pub struct ContactSheet {
    sheet: Rgb,
    /// The size of a board on the sheet.
    cell: [u32; 2],
    added: u32,
}

impl ContactSheet {
    /// An empty sheet for so many boards of a size.
    ///
    /// # Panics
    /// If the sheet would be larger than a picture may be.
    #[must_use]
    pub fn new(boards: u32, width: u32, height: u32) -> Self {
        let cell = [width.div_ceil(SCALE).max(1), height.div_ceil(SCALE).max(1)];
        let rows = boards.div_ceil(COLUMNS).max(1);
        let sheet_width = GAP + COLUMNS * (cell[0] + GAP);
        let sheet_height = rows * (HEADER + cell[1] + GAP) + FOOTER;
        Self { sheet: Rgb::filled(sheet_width, sheet_height, PAPER), cell, added: 0 }
    }

    /// Puts the next board on the sheet. One larger than the others is cut; one more than there
    /// is room for is left out.
    pub fn add(&mut self, image: &str, board: &Rgb, defects: &[Defect]) {
        let (column, row) = (self.added % COLUMNS, self.added / COLUMNS);
        let left = (GAP + column * (self.cell[0] + GAP)) as i32;
        let top = (row * (HEADER + self.cell[1] + GAP) + HEADER) as i32;
        self.added += 1;
        self.paste(board, left, top);
        for defect in defects {
            self.mark(defect, left, top);
        }
        let (verdict, ink) = match defects.len() {
            0 => ("good".to_owned(), GOOD),
            1 => ("1 fault".to_owned(), BAD),
            many => (format!("{many} faults"), BAD),
        };
        let baseline = top - HEADER as i32 + 7;
        self.write(image.trim_end_matches(".png"), left, baseline, 1, INK);
        let right = left + self.cell[0] as i32 - font::text_width(&verdict);
        self.write(&verdict, right, baseline, 1, ink);
    }

    /// The sheet with the colours of the classes explained below, and a line of text.
    #[must_use]
    pub fn finish(mut self, caption: &str) -> Rgb {
        let top = (self.sheet.height() - FOOTER) as i32 + 6;
        let mut left = GAP as i32;
        for class in Class::ALL {
            let ink = colour(class);
            self.fill(left, top, 11, 11, ink);
            self.write(class.name(), left + 17, top + 2, 1, ink);
            left += 17 + font::text_width(class.name()) + 18;
        }
        let right = self.sheet.width() as i32 - GAP as i32 - font::text_width(caption);
        self.write(caption, right.max(left), top + 2, 1, INK);
        self.sheet
    }

    /// Each pixel of the sheet is the mean of the pixels that it stands for.
    fn paste(&mut self, board: &Rgb, left: i32, top: i32) {
        for y in 0..self.cell[1].min(board.height() / SCALE) {
            for x in 0..self.cell[0].min(board.width() / SCALE) {
                let mut sums = [0_u32; 3];
                for row in y * SCALE..(y + 1) * SCALE {
                    let first = (row * board.width() + x * SCALE) as usize * 3;
                    let pixels = &board.pixels()[first..first + SCALE as usize * 3];
                    for (place, &channel) in pixels.iter().enumerate() {
                        sums[place % 3] += u32::from(channel);
                    }
                }
                let mean = sums.map(|sum| (sum / (SCALE * SCALE)) as u8);
                self.sheet.set(left + x as i32, top + y as i32, mean);
            }
        }
    }

    fn mark(&mut self, defect: &Defect, left: i32, top: i32) {
        let (bounds, ink) = (defect.bounds, colour(defect.class));
        let shown = |first: u32, length: u32| {
            let (first, last) = (first / SCALE, (first + length.max(1) - 1) / SCALE);
            (first as i32 - BOX_MARGIN, (last - first) as i32 + 1 + 2 * BOX_MARGIN)
        };
        let (x, width) = shown(bounds.x, bounds.width);
        let (y, height) = shown(bounds.y, bounds.height);
        let (x, y) = (left + x, top + y);
        self.fill(x, y, width, 2, ink);
        self.fill(x, y + height - 2, width, 2, ink);
        self.fill(x, y, 2, height, ink);
        self.fill(x + width - 2, y, 2, height, ink);
    }

    fn fill(&mut self, left: i32, top: i32, width: i32, height: i32, ink: [u8; 3]) {
        for y in top..top + height {
            for x in left..left + width {
                self.sheet.set(x, y, ink);
            }
        }
    }

    fn write(&mut self, text: &str, left: i32, top: i32, dot: i32, ink: [u8; 3]) {
        for (column, row) in font::dots(text) {
            self.fill(left + column * dot, top + row * dot, dot, dot, ink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::PixelBox;

    fn pixel(picture: &Rgb, x: u32, y: u32) -> &[u8] {
        &picture.pixels()[(y * picture.width() + x) as usize * 3..][..3]
    }

    #[test]
    fn a_board_is_shown_with_a_box_around_its_fault() {
        let bounds = PixelBox { x: 30, y: 30, width: 9, height: 9 };
        let fault =
            Defect { image: "b.png".to_owned(), bounds, class: Class::Short, score: Some(1) };
        let mut sheet = ContactSheet::new(7, 90, 60);
        sheet.add("b.png", &Rgb::filled(90, 60, [0, 90, 45]), &[fault]);
        let picture = sheet.finish("");
        // The board begins at (8, 22); the fault covers 10 to 12 there, the box 6 to 16.
        assert_eq!(pixel(&picture, 8, 22), [0, 90, 45]);
        assert_eq!(pixel(&picture, 8 + 6, 22 + 6), colour(Class::Short));
        assert_eq!(pixel(&picture, 8 + 16, 22 + 16), colour(Class::Short));
        assert_eq!(pixel(&picture, 8 + 17, 22 + 17), [0, 90, 45]);
        assert_eq!(pixel(&picture, 8 + 11, 22 + 11), [0, 90, 45]);
        assert_eq!(picture.height(), 2 * (22 + 20 + 8) + 34);
    }

    #[test]
    fn boards_that_do_not_fit_are_cut() {
        let mut sheet = ContactSheet::new(1, 30, 30);
        for _ in 0..9 {
            sheet.add("b", &Rgb::filled(300, 3, [1, 2, 3]), &[]);
        }
        assert_eq!(
            sheet.finish("a caption longer than the sheet is wide").height(),
            22 + 10 + 8 + 34
        );
    }
}
