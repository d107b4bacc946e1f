//! `classify` on a GPU: a workgroup looks at one difference.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lineside_devices::kernels::{CLASSIFY, Form};
use lineside_devices::{Buffer, Dispatch, Fault, Kernel, SharedGpu, Track, Work};
use lineside_vision::classify::MARGIN;
use lineside_vision::defect::{Class, Defect, PixelBox};
use lineside_vision::detect::Aligned;

use super::conveyor::{Inputs, Recipe, Station, Wrong};
use super::detect::words;
use crate::host::Product;
use crate::host::pcb::{Classified, Detected};

/// The classifier on GPUs that take kernels in one form.
pub(super) struct ClassifyRecipe {
    pub(super) form: Form,
}

/// What stays on a track; buffers grow with what comes.
pub(super) struct Room {
    kernel: Kernel,
    golden: Buffer,
    board: Buffer,
    boxes: Buffer,
    scratch: Buffer,
    results: Buffer,
}

impl Recipe for ClassifyRecipe {
    type State = Room;

    fn set_up(&self, gpu: &SharedGpu, track: &mut dyn Track) -> Result<Room, Fault> {
        let kernel = gpu.kernel(&CLASSIFY.module(self.form))?;
        let mut empty = || track.buffer(0);
        Ok(Room {
            kernel,
            golden: empty()?,
            board: empty()?,
            boxes: empty()?,
            scratch: empty()?,
            results: empty()?,
        })
    }

    fn begin(&self, station: &mut Station<Room>, inputs: &Inputs<'_>) -> Result<(), Wrong> {
        let detected = inputs.input::<Detected>()?;
        let Detected { aligned, differences, .. } = &*detected;
        if differences.is_empty() {
            return Ok(station.track.begin(&Work::default())?);
        }
        let (boxes, scratch) = laid_out(aligned, differences);
        let (room, track) = (&mut station.state, station.track.as_mut());
        let count = differences.len() as u64;
        let plane = aligned.board.pixels().len() as u64;
        grow(track, &mut room.golden, plane)?;
        grow(track, &mut room.board, plane)?;
        grow(track, &mut room.boxes, boxes.len() as u64)?;
        grow(track, &mut room.scratch, scratch * 4)?;
        grow(track, &mut room.results, count * 16)?;
        let thresholds = aligned.levels.thresholds();
        let arguments = [
            aligned.board.width(),
            aligned.board.height(),
            thresholds.copper_min.into(),
            thresholds.print_min.into(),
            thresholds.hole_max.into(),
            count as u32,
            0,
            0,
        ];
        let work = Work {
            uploads: Vec::from([
                (room.golden, aligned.golden.pixels()),
                (room.board, aligned.board.pixels()),
                (room.boxes, &boxes[..]),
            ]),
            dispatches: Vec::from([Dispatch {
                kernel: room.kernel.clone(),
                buffers: Vec::from([
                    room.golden,
                    room.board,
                    room.boxes,
                    room.scratch,
                    room.results,
                ]),
                arguments: arguments.to_vec(),
                groups: [count as u32, 1, 1],
            }]),
            downloads: Vec::from([(room.results, count * 16)]),
            ..Work::default()
        };
        Ok(station.track.begin(&work)?)
    }

    fn go_on(
        &self,
        _: &mut Station<Room>,
        inputs: &Inputs<'_>,
        results: Vec<Vec<u8>>,
    ) -> Result<Option<Product>, Wrong> {
        let detected = inputs.input::<Detected>()?;
        let (image, path) = (detected.image.clone(), detected.path.clone());
        let found = words(results.first());
        let defects =
            detected.differences.iter().zip(found.chunks_exact(4)).map(|(&bounds, found)| Defect {
                image: image.clone(),
                bounds,
                class: class(found[0]),
                score: Some(
                    detected.aligned.levels.score(u64::from(found[1]), u64::from(found[2])),
                ),
            });
        Ok(Some(Arc::new(Classified { defects: defects.collect(), image, path })))
    }
}

/// The boxes, and behind them the place of each one's scratch; and how many words that has in all.
fn laid_out(aligned: &Aligned, boxes: &[PixelBox]) -> (Vec<u8>, u64) {
    let (width, height) = (aligned.board.width(), aligned.board.height());
    let mut words: Vec<u32> = Vec::with_capacity(boxes.len() * 8);
    let (mut places, mut place) = (Vec::new(), 0_u64);
    for bounds in boxes {
        words.extend([bounds.x, bounds.y, bounds.width, bounds.height]);
        let right = (bounds.x + bounds.width + MARGIN).min(width);
        let bottom = (bounds.y + bounds.height + MARGIN).min(height);
        let (left, top) = (bounds.x.saturating_sub(MARGIN), bounds.y.saturating_sub(MARGIN));
        places.extend([place as u32, 0, 0, 0]);
        place += u64::from(right.saturating_sub(left)) * u64::from(bottom.saturating_sub(top)) * 4;
    }
    words.extend(places);
    (words.into_iter().flat_map(u32::to_ne_bytes).collect(), place)
}

fn class(number: u32) -> Class {
    match number {
        0 => Class::MissingHole,
        1 => Class::MouseBite,
        2 => Class::OpenCircuit,
        3 => Class::Short,
        4 => Class::Spur,
        _ => Class::SpuriousCopper,
    }
}

/// Buffers of a track are not freed one by one, so they double.
fn grow(track: &mut dyn Track, buffer: &mut Buffer, bytes: u64) -> Result<(), Fault> {
    if buffer.bytes < bytes {
        *buffer = track.buffer(bytes.max(buffer.bytes * 2))?;
    }
    Ok(())
}
