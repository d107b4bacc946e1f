//! `detect` on a GPU: the passes there, and the two steps between them on the CPU.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use lineside_devices::kernels::{self, Form, Pcb};
use lineside_devices::{Buffer, Dispatch, Fault, Kernel, SharedGpu, Track, Work};
use lineside_vision::detect::passes::{Affine, Size};
use lineside_vision::detect::{
    Aligned, DIFFERENCE_MIN, DetectError, FELLOWS_MIN, Golden, fit, regions,
};
use lineside_vision::picture::Grey;

use super::conveyor::{Inputs, Recipe, Station, Wrong};
use crate::host::Product;
use crate::host::pcb::{Detected, Loaded};

/// The detector on GPUs that take kernels in one form.
pub(super) struct DetectRecipe {
    pub(super) golden: Arc<Golden>,
    pub(super) form: Form,
}

/// What stays on a track: kernels, and room for one picture of the golden one's size.
pub(super) struct Room {
    tile_sums: Kernel,
    light_gains: Kernel,
    even_light: Kernel,
    block_costs: Kernel,
    warp: Kernel,
    mark: Kernel,
    keep_clustered: Kernel,
    tile_counts: Kernel,
    /// Golden planes: the picture, the least, the greatest; and the sums of the first.
    golden: [Buffer; 3],
    golden_sums: Buffer,
    board: Buffer,
    board_sums: Buffer,
    warped_sums: Buffer,
    gains: Buffer,
    even: Buffer,
    costs: Buffer,
    warped: [Buffer; 3],
    marks: Buffer,
    kept: Buffer,
    counts: Buffer,
    /// The golden planes are there already.
    filled: bool,
    /// Where the board lies, once it is known.
    affine: Option<Affine>,
}

impl DetectRecipe {
    fn size(&self) -> Size {
        let Golden { picture, .. } = &*self.golden;
        Size { width: picture.width(), height: picture.height() }
    }

    fn check(&self, board: &Grey) -> Result<(), DetectError> {
        let (size, board) = (self.size(), Size { width: board.width(), height: board.height() });
        if size == board { Ok(()) } else { Err(DetectError::Sizes(board, size)) }
    }
}

impl Recipe for DetectRecipe {
    type State = Room;

    fn set_up(&self, gpu: &SharedGpu, track: &mut dyn Track) -> Result<Room, Fault> {
        let kernel = |pcb: Pcb| gpu.kernel(&pcb.module(self.form));
        let size = self.size();
        let [tiles_x, tiles_y] = size.tiles();
        let tiles = u64::from(tiles_x) * u64::from(tiles_y) * 4;
        // A word more than the pixels: four are read from any place on.
        let plane = (size.pixels() as u64).next_multiple_of(4) + 4;
        let costs = size.places() as u64 * 4;
        let mut buffer = |bytes| track.buffer(bytes);
        Ok(Room {
            tile_sums: kernel(kernels::TILE_SUMS)?,
            light_gains: kernel(kernels::LIGHT_GAINS)?,
            even_light: kernel(kernels::EVEN_LIGHT)?,
            block_costs: kernel(kernels::BLOCK_COSTS)?,
            warp: kernel(kernels::WARP)?,
            mark: kernel(kernels::MARK)?,
            keep_clustered: kernel(kernels::KEEP_CLUSTERED)?,
            tile_counts: kernel(kernels::TILE_COUNTS)?,
            golden: [buffer(plane)?, buffer(plane)?, buffer(plane)?],
            golden_sums: buffer(tiles)?,
            board: buffer(plane)?,
            board_sums: buffer(tiles)?,
            warped_sums: buffer(tiles)?,
            gains: buffer(tiles)?,
            even: buffer(plane)?,
            costs: buffer(costs)?,
            warped: [buffer(plane)?, buffer(plane)?, buffer(plane)?],
            marks: buffer(plane)?,
            kept: buffer(plane)?,
            counts: buffer(tiles)?,
            filled: false,
            affine: None,
        })
    }

    fn begin(&self, station: &mut Station<Room>, inputs: &Inputs<'_>) -> Result<(), Wrong> {
        let loaded = inputs.input::<Loaded>()?;
        self.check(&loaded.grey).map_err(|error| in_file(&loaded, &error))?;
        let (size, room) = (self.size(), &mut station.state);
        let steps = Steps { size };
        let mut work =
            Work { uploads: Vec::from([(room.board, loaded.grey.pixels())]), ..Work::default() };
        if !room.filled {
            let [low, high] = self.golden.envelope();
            let planes = [self.golden.picture.pixels(), low, high];
            work.uploads.extend(room.golden.into_iter().zip(planes));
            let to = [room.golden[0], room.golden_sums];
            work.dispatches.push(steps.tiles(&room.tile_sums, &to));
            room.filled = true;
        }
        let (sums, gains) = (room.board_sums, room.gains);
        work.dispatches.extend([
            steps.tiles(&room.tile_sums, &[room.board, sums]),
            steps.tiles(&room.light_gains, &[room.golden_sums, sums, gains]),
            steps.words(&room.even_light, &[room.board, gains, room.even], &[]),
            steps.costs(&room.block_costs, &[room.golden[0], room.even, room.costs]),
        ]);
        work.downloads.push((room.costs, size.places() as u64 * 4));
        room.affine = None;
        Ok(station.track.begin(&work)?)
    }

    fn go_on(
        &self,
        station: &mut Station<Room>,
        inputs: &Inputs<'_>,
        results: Vec<Vec<u8>>,
    ) -> Result<Option<Product>, Wrong> {
        let loaded = inputs.input::<Loaded>()?;
        let size = self.size();
        let Some(affine) = station.state.affine else {
            let costs = words(results.first());
            let affine = fit(&costs, size).ok_or(DetectError::Unlike);
            let affine = affine.map_err(|error| in_file(&loaded, &error))?;
            station.state.affine = Some(affine);
            let work = second_half(&station.state, affine, size);
            station.track.begin(&work)?;
            return Ok(None);
        };
        let mut planes = results.into_iter();
        let mut plane = || planes.next().unwrap_or_default();
        let (warped, even, kept, counts) = (plane(), plane(), plane(), plane());
        let differences = regions(&kept, &words(Some(&counts)), size);
        let picture = |pixels| Grey::new(size.width, size.height, pixels);
        let (Ok(golden), Ok(board)) = (picture(warped), picture(even)) else {
            return Err(Wrong::Image("the GPU gave back something else than was asked for".into()));
        };
        let aligned = Aligned { golden, board, affine, levels: self.golden.levels };
        let (image, path) = (loaded.image.clone(), loaded.path.clone());
        Ok(Some(Arc::new(Detected { image, path, aligned, differences })))
    }
}

/// What follows once it is known where the board lies.
fn second_half<'w>(room: &Room, affine: Affine, size: Size) -> Work<'w> {
    let steps = Steps { size };
    let Affine { x0, xx, xy, y0, yx, yy } = affine;
    let place = [x0, xx, xy, y0, yx, yy];
    let [golden, low, high] = room.golden;
    let [warped, warped_low, warped_high] = room.warped;
    let (sums, gains) = (room.warped_sums, room.gains);
    let bytes = size.pixels() as u64;
    Work {
        dispatches: Vec::from([
            steps.words(&room.warp, &[golden, warped], &place),
            steps.tiles(&room.tile_sums, &[warped, sums]),
            steps.tiles(&room.light_gains, &[sums, room.board_sums, gains]),
            steps.words(&room.even_light, &[room.board, gains, room.even], &[]),
            steps.words(&room.warp, &[low, warped_low], &place),
            steps.words(&room.warp, &[high, warped_high], &place),
            steps.words(
                &room.mark,
                &[warped_low, warped_high, room.even, room.marks],
                &[DIFFERENCE_MIN.into()],
            ),
            steps.words(&room.keep_clustered, &[room.marks, room.kept], &[FELLOWS_MIN as i32]),
            steps.tiles(&room.tile_counts, &[room.kept, room.counts]),
        ]),
        downloads: Vec::from([
            (warped, bytes),
            (room.even, bytes),
            (room.kept, bytes),
            (room.counts, steps.tile_count() * 4),
        ]),
        ..Work::default()
    }
}

/// Dispatches over pictures of one size.
struct Steps {
    size: Size,
}

impl Steps {
    fn tile_count(&self) -> u64 {
        let [tiles_x, tiles_y] = self.size.tiles();
        u64::from(tiles_x) * u64::from(tiles_y)
    }

    fn over(&self, threads: u64, kernel: &Kernel, buffers: &[Buffer], own: &[i32]) -> Dispatch {
        let mut arguments = [self.size.width, self.size.height, 0, 0, 0, 0, 0, 0];
        for (argument, &own) in arguments[2..].iter_mut().zip(own) {
            *argument = own as u32;
        }
        Dispatch::over(kernel, threads, buffers, &arguments)
    }

    fn tiles(&self, kernel: &Kernel, buffers: &[Buffer]) -> Dispatch {
        self.over(self.tile_count(), kernel, buffers, &[])
    }

    fn words(&self, kernel: &Kernel, buffers: &[Buffer], own: &[i32]) -> Dispatch {
        self.over((self.size.pixels() as u64).div_ceil(4), kernel, buffers, own)
    }

    fn costs(&self, kernel: &Kernel, buffers: &[Buffer]) -> Dispatch {
        self.over(self.size.places() as u64, kernel, buffers, &[])
    }
}

pub(super) fn words(bytes: Option<&Vec<u8>>) -> Vec<u32> {
    let words = bytes.map_or(&[][..], Vec::as_slice).chunks_exact(4);
    words.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn in_file(loaded: &Loaded, error: &DetectError) -> Wrong {
    let mut text: String = loaded.path.display().to_string();
    text += ": ";
    text += &error.to_string();
    Wrong::Image(text)
}
