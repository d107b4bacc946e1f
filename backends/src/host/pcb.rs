//! The tools of a bare-board inspection: load, detect, classify, report.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::fs;
use std::path::{Path, PathBuf};

use lineside_vision::classify::classify;
use lineside_vision::defect::{Defect, PixelBox, parse_table, table};
use lineside_vision::detect::{Aligned, Golden};
use lineside_vision::picture::{Grey, Rgb};
use lineside_vision::report::ContactSheet;
use lineside_vision::score::Quality;

use crate::devices::Raw;

use super::tool::{Product, Task, Tool};
use super::work::{Failure, Work};

/// A board's picture, from its file.
pub(crate) struct Loaded {
    pub(crate) image: String,
    pub(crate) path: PathBuf,
    pub(crate) grey: Grey,
}

/// Where a board differs from the golden one.
pub(crate) struct Detected {
    pub(crate) image: String,
    pub(crate) path: PathBuf,
    pub(crate) aligned: Aligned,
    pub(crate) differences: Vec<PixelBox>,
}

/// A board and its defects.
pub(crate) struct Classified {
    pub(crate) image: String,
    pub(crate) path: PathBuf,
    pub(crate) defects: Vec<Defect>,
}

/// `load`: reads image k's file.
pub(super) struct Load {
    pub(super) files: Vec<PathBuf>,
}

impl Tool for Load {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| self.run(task))
    }
}

impl Load {
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        let path = self.files.get(task.image as usize);
        let path = path.ok_or("`load` needs `images` to be a pattern of files, like \"*.png\"")?;
        let grey = Grey::from_png(&read(path)?).map_err(|error| in_file(path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Arc::new(Loaded { image: name.into_owned(), path: path.clone(), grey }))
    }
}

/// `detect`: compares a board with the golden one.
pub(crate) struct Detect {
    pub(crate) golden: Golden,
}

impl Detect {
    /// Reads the golden picture.
    pub(crate) fn new(golden: &Path) -> Result<Self, String> {
        let grey = Grey::from_png(&read(golden)?).map_err(|error| in_file(golden, error))?;
        Ok(Detect { golden: Golden::new(grey) })
    }
}

impl Tool for Detect {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| self.run(task))
    }
}

impl Detect {
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        let loaded = task.input::<Loaded>()?;
        let aligned = Aligned::new(&self.golden, &loaded.grey);
        let aligned = aligned.map_err(|error| in_file(&loaded.path, error))?;
        let differences = aligned.differences(&self.golden);
        let (image, path) = (loaded.image.clone(), loaded.path.clone());
        Ok(Arc::new(Detected { image, path, aligned, differences }))
    }
}

/// `classify`: says what each difference is.
pub(super) struct Classify;

impl Tool for Classify {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| self.run(task))
    }
}

impl Classify {
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        let detected = task.input::<Detected>()?;
        let (image, path) = (detected.image.clone(), detected.path.clone());
        let defects = detected.differences.iter().map(|&bounds| {
            let (class, score) = classify(&detected.aligned, bounds);
            Defect { image: image.clone(), bounds, class, score: Some(score) }
        });
        Ok(Arc::new(Classified { defects: defects.collect(), image, path }))
    }
}

/// `report`: writes `defects.csv` and `contact.png`, and holds them against the truth if there is
/// one.
pub(super) struct Report {
    pub(super) results: PathBuf,
    pub(super) truth: Option<PathBuf>,
}

impl Tool for Report {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| self.run(task))
    }
}

impl Report {
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        let all = task.inputs.iter().flat_map(|upstream| &upstream.products).cloned();
        let boards = all.filter_map(|product| product.downcast::<Classified>().ok());
        let boards: Vec<Arc<Classified>> = boards.collect();
        let defects: Vec<Defect> = boards.iter().flat_map(|board| board.defects.clone()).collect();
        write(&self.results.join("defects.csv"), table(&defects).as_bytes())?;
        let faulty = boards.iter().filter(|board| !board.defects.is_empty()).count();
        let (count, boards_count) = (defects.len(), boards.len());
        task.say(format!("{count} defects on {faulty} of {boards_count} boards"));
        let caption = match &self.truth {
            Some(truth) => {
                let quality = self.quality(truth, &defects)?;
                task.say(quality.clone());
                quality
            }
            None => format!("{count} defects"),
        };
        let sheet = contact_sheet(&boards, &caption)?;
        write(&self.results.join("contact.png"), &sheet)?;
        Ok(Arc::new(()))
    }

    fn quality(&self, path: &Path, defects: &[Defect]) -> Result<String, String> {
        Ok(Quality::of(defects, &known_defects(path)?).to_string())
    }
}

/// `save`: writes what a kernel made: a picture as PNG, else the bytes.
pub(super) struct Save {
    pub(super) results: PathBuf,
}

impl Tool for Save {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        work.each(|task| self.run(task))
    }
}

impl Save {
    fn run(&self, task: &Task<'_>) -> Result<Product, String> {
        if let Ok(raw) = task.input::<Raw>() {
            let name = Path::new(&raw.image).with_extension("bin");
            write(&self.results.join(name), &raw.bytes)?;
            return Ok(Arc::new(()));
        }
        let picture = task.input::<Loaded>()?;
        let rgb = picture.grey.pixels().iter().flat_map(|&grey| [grey; 3]).collect();
        let rgb = Rgb::new(picture.grey.width(), picture.grey.height(), rgb);
        let png = rgb.and_then(|rgb| rgb.to_png());
        let png = png.map_err(|error| in_file(Path::new(&picture.image), error))?;
        let name = Path::new(&picture.image).with_extension("png");
        write(&self.results.join(name), &png)?;
        Ok(Arc::new(()))
    }
}

/// A table of defects that are known to be there.
pub(super) fn known_defects(path: &Path) -> Result<Vec<Defect>, String> {
    let text = String::from_utf8(read(path)?);
    let text = text.map_err(|_| in_file(path, "not a table of defects, but no text at all"))?;
    parse_table(&text).map_err(|error| in_file(path, error))
}

/// The boards with their boxes; each picture is read again, so that one is in memory at a time.
fn contact_sheet(boards: &[Arc<Classified>], caption: &str) -> Result<Vec<u8>, String> {
    let mut sheet: Option<ContactSheet> = None;
    for board in boards {
        let picture = Rgb::from_png(&read(&board.path)?);
        let picture = picture.map_err(|error| in_file(&board.path, error))?;
        sheet
            .get_or_insert_with(|| {
                ContactSheet::new(boards.len() as u32, picture.width(), picture.height())
            })
            .add(&board.image, &picture, &board.defects);
    }
    let sheet = sheet.unwrap_or_else(|| ContactSheet::new(0, 1, 1)).finish(caption);
    sheet.to_png().map_err(|error| format!("the contact sheet: {error}"))
}

/// A tool in a box.
pub(super) fn boxed(tool: impl Tool + 'static) -> Box<dyn Tool> {
    Box::new(tool)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| in_file(path, error))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| in_file(path, error))
}

fn in_file(path: &Path, error: impl ToString) -> String {
    format!("{}: {}", path.display(), error.to_string())
}
