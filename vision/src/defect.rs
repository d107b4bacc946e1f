//! What is found on a board, or known to be there, and its lines in a table.

use std::fmt;

/// The kinds of fault that a bare board has.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Class {
    /// A pad without its hole.
    MissingHole,
    /// A bite out of the edge of a trace, which still conducts.
    MouseBite,
    /// A trace that is cut.
    OpenCircuit,
    /// Copper that joins two nets.
    Short,
    /// Copper that sticks out from a trace and touches nothing else.
    Spur,
    /// Copper that hangs together with nothing.
    SpuriousCopper,
}

impl Class {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 6] = [
        Self::MissingHole,
        Self::MouseBite,
        Self::OpenCircuit,
        Self::Short,
        Self::Spur,
        Self::SpuriousCopper,
    ];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MissingHole => "missing_hole",
            Self::MouseBite => "mouse_bite",
            Self::OpenCircuit => "open_circuit",
            Self::Short => "short",
            Self::Spur => "spur",
            Self::SpuriousCopper => "spurious_copper",
        }
    }

    /// The class of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// A rectangle of pixels in a picture.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PixelBox {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PixelBox {
    /// Whether a pixel lies in it.
    #[must_use]
    pub fn contains(self, x: u32, y: u32) -> bool {
        let within = |at: u32, first: u32, length: u32| at >= first && at - first < length;
        within(x, self.x, self.width) && within(y, self.y, self.height)
    }

    /// The square of the distance between two middles, in quarters of a square pixel: with
    /// doubled coordinates a middle is a whole number.
    #[must_use]
    pub fn middle_distance_squared(self, other: Self) -> u64 {
        let middle = |first: u32, length: u32| 2 * i64::from(first) + i64::from(length);
        let dx = middle(self.x, self.width) - middle(other.x, other.width);
        let dy = middle(self.y, self.height) - middle(other.y, other.height);
        (dx * dx + dy * dy) as u64
    }
}

/// A fault on a picture, of which the class, and how sure it is, may be known or not.
///
/// ```
/// use lineside_vision::defect::{Class, Defect, PixelBox, parse_table, table};
/// let bounds = PixelBox { x: 8, y: 9, width: 10, height: 11 };
/// let image = "board-01.png".to_owned();
/// let spur = Defect { image, bounds, class: Class::Spur, score: Some(930) };
/// let text = table(&[spur.clone()]);
/// assert_eq!(text, "image,x,y,w,h,class,score\nboard-01.png,8,9,10,11,spur,930\n");
/// assert_eq!(parse_table(&text), Ok(vec![spur]));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Defect {
    /// The name of the picture's file.
    pub image: String,
    /// Where it is.
    pub bounds: PixelBox,
    /// What it is.
    pub class: Class,
    /// How sure the classifier is, 0 to 1000; the truth has none.
    pub score: Option<u32>,
}

/// A line of a table that can't be used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TableError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for TableError {}

const TRUTH_HEADER: &str = "image,x,y,w,h,class";
const FOUND_HEADER: &str = "image,x,y,w,h,class,score";

/// The table of what was found: `image,x,y,w,h,class,score`, a missing score written as 0.
#[must_use]
pub fn table(defects: &[Defect]) -> String {
    let mut text = format!("{FOUND_HEADER}\n");
    for defect in defects {
        let score = defect.score.unwrap_or(0);
        text.push_str(&format!("{},{score}\n", fields(defect)));
    }
    text
}

/// The table of what is there: `image,x,y,w,h,class`.
#[must_use]
pub fn truth_table(defects: &[Defect]) -> String {
    let mut text = format!("{TRUTH_HEADER}\n");
    for defect in defects {
        text.push_str(&format!("{}\n", fields(defect)));
    }
    text
}

fn fields(defect: &Defect) -> String {
    let PixelBox { x, y, width, height } = defect.bounds;
    format!("{},{x},{y},{width},{height},{}", defect.image, defect.class)
}

/// Reads a table of either kind.
///
/// # Errors
/// At the first line that can't be used, with its number.
pub fn parse_table(text: &str) -> Result<Vec<Defect>, TableError> {
    let mut lines = text.lines().zip(1..);
    let scored = match lines.next() {
        Some((FOUND_HEADER, _)) => true,
        Some((TRUTH_HEADER, _)) => false,
        Some(_) | None => {
            let reason = format!("the table must begin with {TRUTH_HEADER} or {FOUND_HEADER}");
            return Err(TableError { line: 1, reason });
        }
    };
    lines
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| {
            parse_line(line, scored).map_err(|reason| TableError { line: number, reason })
        })
        .collect()
}

fn parse_line(line: &str, scored: bool) -> Result<Defect, String> {
    let fields: Vec<&str> = line.split(',').collect();
    let wanted = if scored { 7 } else { 6 };
    if fields.len() != wanted {
        return Err(format!("{} fields where there should be {wanted}", fields.len()));
    }
    let number =
        |field: &str| field.parse::<u32>().map_err(|_| format!("“{field}” is not a whole number"));
    let bounds = PixelBox {
        x: number(fields[1])?,
        y: number(fields[2])?,
        width: number(fields[3])?,
        height: number(fields[4])?,
    };
    let class = Class::named(fields[5]).ok_or_else(|| {
        let names = Class::ALL.map(Class::name).join(", ");
        format!("“{}” is no class; the classes are {names}", fields[5])
    })?;
    let score = if scored { Some(number(fields[6])?) } else { None };
    Ok(Defect { image: fields[0].to_owned(), bounds, class, score })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_cannot_be_read_says_where_and_why() {
        let said = |text: &str| parse_table(text).unwrap_err().to_string();
        assert_eq!(
            said(""),
            "line 1: the table must begin with image,x,y,w,h,class or image,x,y,w,h,class,score"
        );
        let head = "image,x,y,w,h,class";
        assert_eq!(said(&format!("{head}\na,1,2,3")), "line 2: 4 fields where there should be 6");
        assert_eq!(
            said(&format!("{head}\n\na,1,-2,3,4,spur")),
            "line 3: “-2” is not a whole number"
        );
        assert!(
            said(&format!("{head}\na,1,2,3,4,scratch")).contains("the classes are missing_hole")
        );
    }

    #[test]
    fn the_truth_reads_back_as_it_was_written() {
        let bounds = PixelBox { x: 1, y: 2, width: 3, height: 4 };
        let defects = Class::ALL.map(|class| Defect {
            image: format!("{class}.png"),
            bounds,
            class,
            score: None,
        });
        assert_eq!(parse_table(&truth_table(&defects)), Ok(defects.to_vec()));
    }
}
