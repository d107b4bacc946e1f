//! The kernels of the built-in tools, in each of their forms.

use crate::gpu::{Code, Module};

/// In which form a GPU takes kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// WGSL, for Vulkan.
    Wgsl,
    /// PTX, for CUDA.
    Ptx,
}

/// A kernel of the board inspection; they all take eight arguments: width, height, and six that
/// are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pcb {
    /// The entry point.
    pub entry: &'static str,
    /// How many buffers it takes.
    pub buffers: u32,
    /// Threads of a workgroup.
    pub threads: u32,
}

const fn pcb(entry: &'static str, buffers: u32) -> Pcb {
    Pcb { entry, buffers, threads: 64 }
}

/// Plane, sums; a thread for each tile.
pub const TILE_SUMS: Pcb = pcb("tile_sums", 2);
/// Marks, counts; a thread for each tile.
pub const TILE_COUNTS: Pcb = pcb("tile_counts", 2);
/// Golden sums, board sums, gains; a thread for each tile.
pub const LIGHT_GAINS: Pcb = pcb("light_gains", 3);
/// Board, gains, even; a thread for each word.
pub const EVEN_LIGHT: Pcb = pcb("even_light", 3);
/// Golden, board, costs; a thread for each cost.
pub const BLOCK_COSTS: Pcb = pcb("block_costs", 3);
/// Golden, warped; a thread for each word; its own arguments are the affine's.
pub const WARP: Pcb = pcb("warp", 2);
/// Low, high, board, marks; a thread for each word; its own argument is the least difference.
pub const MARK: Pcb = pcb("mark", 4);
/// Marks, kept; a thread for each word; its own argument is how many fellows a mark needs.
pub const KEEP_CLUSTERED: Pcb = pcb("keep_clustered", 2);
/// Golden, board, boxes, scratch, results; a workgroup for each box.
pub const CLASSIFY: Pcb = pcb("classify", 5);

impl Pcb {
    /// The kernel in a form.
    pub fn module(self, form: Form) -> Module {
        let classify = self == CLASSIFY;
        let (file, code) = match form {
            Form::Wgsl if classify => ("classify.wgsl", Code::Wgsl(CLASSIFY_WGSL.into())),
            Form::Wgsl => ("pcb.wgsl", Code::Wgsl(PCB_WGSL.into())),
            Form::Ptx => ("pcb.ptx", Code::Ptx(PTX.into())),
        };
        Module {
            file: file.into(),
            code,
            entry: self.entry.into(),
            buffers: self.buffers,
            arguments: 8,
            workgroup: [self.threads, 1, 1],
            trusted: true,
        }
    }
}

const PCB_WGSL: &str = include_str!("kernels/pcb.wgsl");
const CLASSIFY_WGSL: &str = include_str!("kernels/classify.wgsl");
/// What NVRTC makes of `pcb.cu`; `cargo xtask ptx` makes it anew.
pub(crate) const PTX: &str = include_str!("kernels/pcb.ptx");
