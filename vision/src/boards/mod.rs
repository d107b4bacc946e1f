//! The generator of boards: pictures of one product, most of them with faults, and the truth.
//!
//! All arithmetic is in integers, so that a seed gives the same bytes on every platform.

mod camera;
mod canvas;
mod design;
mod fault;
mod plan;
mod route;

use crate::defect::{Class, Defect};
use crate::rng::Rng;
use camera::Pose;
pub use camera::Shot;
use design::Design;

/// One board in this many is good.
const GOOD_EVERY: u64 = 6;
/// Faults on a board that is not good.
const FAULTS_MIN: i32 = 2;
const FAULTS_MAX: i32 = 6;

/// The boards of one seed: one design, as many pictures as are asked for.
pub struct Series {
    seed: u64,
    design: Design,
}

/// A picture of one board.
#[derive(Clone, Debug)]
pub struct Board {
    /// The name of its file, `board-01.png`.
    pub image: String,
    /// The picture.
    pub shot: Shot,
    /// The faults that were made, none on a good board.
    pub truth: Vec<Defect>,
}

impl Series {
    /// The boards for a seed. Other seeds differ in their nets, faults and pictures.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, design: Design::new(seed) }
    }

    /// The picture of a board as it should be.
    #[must_use]
    pub fn golden(&self) -> Shot {
        Shot::take(&self.design.canvas, &Pose::golden())
    }

    /// The board of a number, from 1: its picture, and what is wrong with it.
    #[must_use]
    pub fn board(&self, number: u32) -> Board {
        let mut rng = Rng::part(self.seed, u64::from(number));
        let mut canvas = self.design.canvas.clone();
        let mut faults = Vec::new();
        for class in self.classes(number, &mut rng) {
            faults.extend(fault::inflict(&mut canvas, &self.design, class, &faults, &mut rng));
        }
        let pose = Pose::happening(&mut rng);
        let image = format!("board-{number:02}.png");
        let defect = |fault: &fault::Fault| Defect {
            image: image.clone(),
            bounds: pose.shown(fault.bounds),
            class: fault.class,
            score: None,
        };
        let mut truth: Vec<Defect> = faults.iter().map(defect).collect();
        truth.sort_by_key(|defect| (defect.bounds.y, defect.bounds.x));
        Board { image, shot: Shot::take(&canvas, &pose), truth }
    }

    /// The faults to make on a board: different ones, or none.
    fn classes(&self, number: u32, rng: &mut Rng) -> Vec<Class> {
        if self.seed.wrapping_add(u64::from(number)).is_multiple_of(GOOD_EVERY) {
            return Vec::new();
        }
        let mut classes = Class::ALL.to_vec();
        rng.shuffle(&mut classes);
        classes.truncate(rng.range(FAULTS_MIN, FAULTS_MAX) as usize);
        classes
    }
}
