//! Our kernels in their Rust form.

use lineside_vision::classify::{Thresholds, look};
use lineside_vision::defect::{Class, PixelBox};
use lineside_vision::detect::passes::{self, Affine, Size};
use lineside_vision::picture::Grey;

/// What a kernel is launched with.
pub struct Parameters {
    /// Its buffers.
    pub buffers: Vec<*mut [u8]>,
    /// Its arguments.
    pub arguments: Vec<u32>,
    /// Workgroups along the first axis.
    pub groups: u32,
}

/// A kernel.
#[derive(Clone, Copy)]
pub struct Form {
    /// How many buffers it takes.
    pub buffers: usize,
    /// How many arguments.
    pub arguments: usize,
    /// Runs it; false if it would touch what is not its own.
    pub run: fn(&Parameters) -> bool,
}

impl Form {
    /// The kernel of a name, if it has a form here.
    pub fn of(name: &str) -> Option<Form> {
        let pcb = |buffers, run| Form { buffers, arguments: 8, run };
        Some(match name {
            "tile_sums" => pcb(2, |it| with_words(it, 1, passes::tile_sums)),
            "tile_counts" => pcb(2, |it| with_words(it, 1, passes::tile_counts)),
            "light_gains" => pcb(3, light_gains),
            "even_light" => pcb(3, even_light),
            "block_costs" => pcb(3, block_costs),
            "warp" => pcb(2, warp),
            "mark" => pcb(4, mark),
            "keep_clustered" => pcb(2, keep_clustered),
            "classify" => pcb(5, classify),
            "probe" => Form { buffers: 1, arguments: 1, run: probe },
            "edges" => Form { buffers: 2, arguments: 2, run: edges },
            _ => return None,
        })
    }
}

impl Parameters {
    fn size(&self) -> Size {
        Size { width: self.arguments[0], height: self.arguments[1] }
    }

    fn own(&self, at: usize) -> i32 {
        self.arguments[2 + at] as i32
    }

    /// The first bytes of a buffer.
    #[allow(clippy::mut_from_ref, reason = "no two parameters are the same buffer")]
    fn bytes(&self, at: usize, count: usize) -> Option<&mut [u8]> {
        let buffer: *mut [u8] = self.buffers[at];
        // SAFETY: the state is locked while a kernel runs, and each buffer is one allocation.
        unsafe { &mut *buffer }.get_mut(..count)
    }

    fn plane(&self, at: usize) -> Option<&mut [u8]> {
        self.bytes(at, self.size().pixels())
    }

    fn words(&self, at: usize, count: usize) -> Option<Vec<u32>> {
        let words = self.bytes(at, count * 4)?.chunks_exact(4);
        Some(words.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    fn put_words(&self, at: usize, words: &[u32]) -> Option<()> {
        let room = self.bytes(at, words.len() * 4)?;
        for (to, word) in room.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        Some(())
    }

    fn tiles(&self) -> usize {
        let [x, y] = self.size().tiles();
        (x * y) as usize
    }
}

fn with_words(it: &Parameters, to: usize, pass: fn(&[u8], Size, &mut [u32])) -> bool {
    let run = || {
        let mut words = vec![0; it.tiles()];
        pass(it.plane(0)?, it.size(), &mut words);
        it.put_words(to, &words)
    };
    run().is_some()
}

fn light_gains(it: &Parameters) -> bool {
    let run = || {
        let mut gains = vec![0; it.tiles()];
        let (golden, board) = (it.words(0, it.tiles())?, it.words(1, it.tiles())?);
        passes::light_gains(&golden, &board, it.size(), &mut gains);
        it.put_words(2, &gains)
    };
    run().is_some()
}

fn even_light(it: &Parameters) -> bool {
    let run = || {
        let gains = it.words(1, it.tiles())?;
        passes::even_light(it.plane(0)?, &gains, it.size(), it.plane(2)?);
        Some(())
    };
    run().is_some()
}

fn block_costs(it: &Parameters) -> bool {
    let run = || {
        let mut costs = vec![0; it.size().places()];
        passes::block_costs(it.plane(0)?, it.plane(1)?, it.size(), &mut costs);
        it.put_words(2, &costs)
    };
    run().is_some()
}

fn warp(it: &Parameters) -> bool {
    let run = || {
        let [x0, xx, xy, y0, yx, yy] = [0, 1, 2, 3, 4, 5].map(|at| it.own(at));
        let affine = Affine { x0, xx, xy, y0, yx, yy };
        passes::warp(it.plane(0)?, affine, it.size(), it.plane(1)?);
        Some(())
    };
    run().is_some()
}

fn mark(it: &Parameters) -> bool {
    let run = || {
        let mut difference = vec![0; it.size().pixels()];
        passes::difference(it.plane(0)?, it.plane(1)?, it.plane(2)?, &mut difference);
        passes::threshold(&difference, it.own(0) as i16, it.plane(3)?);
        Some(())
    };
    run().is_some()
}

fn keep_clustered(it: &Parameters) -> bool {
    let run = || {
        passes::keep_clustered(it.plane(0)?, it.own(0) as u32, it.size(), it.plane(1)?);
        Some(())
    };
    run().is_some()
}

fn classify(it: &Parameters) -> bool {
    let run = || {
        let Size { width, height } = it.size();
        let picture = |at| Grey::new(width, height, it.plane(at)?.to_vec()).ok();
        let (golden, board) = (picture(0)?, picture(1)?);
        let thresholds = Thresholds {
            copper_min: it.own(0) as u8,
            print_min: it.own(1) as u8,
            hole_max: it.own(2) as u8,
        };
        let boxes = it.words(2, it.groups as usize * 4)?;
        let mut results = Vec::new();
        for bounds in boxes.chunks_exact(4) {
            let [x, y, width, height] = [bounds[0], bounds[1], bounds[2], bounds[3]];
            let found = look(&golden, &board, thresholds, PixelBox { x, y, width, height });
            let kind = match found.class {
                Class::MissingHole => 0,
                Class::MouseBite => 1,
                Class::OpenCircuit => 2,
                Class::Short => 3,
                Class::Spur => 4,
                Class::SpuriousCopper => 5,
            };
            results.extend([kind, found.pixels as u32, found.total as u32, 0]);
        }
        it.put_words(4, &results)
    };
    run().is_some()
}

fn probe(it: &Parameters) -> bool {
    let count = it.arguments[0] as usize;
    let run = || {
        let words = (0..)
            .zip(it.words(0, count)?)
            .map(|(at, word): (u32, u32)| word.wrapping_mul(3).wrapping_add(at));
        it.put_words(0, &words.collect::<Vec<u32>>())
    };
    run().is_some()
}

/// The kernel of `examples/kernel`.
fn edges(it: &Parameters) -> bool {
    let run = || {
        let Size { width, height } = it.size();
        let (from, to) = (it.plane(0)?, it.plane(1)?);
        let at = |x: i32, y: i32| {
            let (x, y) = (x.clamp(0, width as i32 - 1), y.clamp(0, height as i32 - 1));
            i32::from(from[(y * width as i32 + x) as usize])
        };
        for y in 0..height as i32 {
            for x in 0..width as i32 {
                let along = |x: i32| at(x, y - 1) + 2 * at(x, y) + at(x, y + 1);
                let down = |y: i32| at(x - 1, y) + 2 * at(x, y) + at(x + 1, y);
                let steep = (along(x + 1) - along(x - 1)).abs() + (down(y + 1) - down(y - 1)).abs();
                to[(y * width as i32 + x) as usize] = (steep / 4).min(255) as u8;
            }
        }
        Some(())
    };
    run().is_some()
}
