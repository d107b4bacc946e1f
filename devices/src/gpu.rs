//! What any GPU can do for us: kernels, buffers, and tracks of work.
//!
//! A track is one stream of work: what is handed to it runs in order; tracks run beside each other.
//! Whoever wants that one image is uploaded while another is computed takes two tracks.

use std::sync::Arc;
use std::time::Duration;

use crate::fault::Fault;

/// A kernel's code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Code {
    /// WGSL.
    Wgsl(String),
    /// SPIR-V.
    Spirv(Vec<u32>),
    /// CUDA C; NVRTC has to be there to compile it.
    CudaC(String),
    /// PTX, which the driver compiles.
    Ptx(String),
}

/// A kernel as it is declared: which code, and how it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Module {
    /// The name of its file, for messages.
    pub file: String,
    /// The code.
    pub code: Code,
    /// The function in it.
    pub entry: String,
    /// How many buffers it takes: bindings 0 and on in group 0, or its first parameters.
    pub buffers: u32,
    /// How many arguments of 32 bits it takes: push constants, or its further parameters.
    pub arguments: u32,
    /// Threads of a workgroup; with WGSL and SPIR-V the code itself says it.
    pub workgroup: [u32; 3],
    /// It is ours, and known to stay within its buffers.
    pub trusted: bool,
}

/// A kernel on one GPU; it lives as long as somebody has it.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub(crate) index: usize,
    /// Threads of a workgroup.
    pub workgroup: [u32; 3],
}

/// Memory of a track on its GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    pub(crate) index: usize,
    /// How large it is.
    pub bytes: u64,
}

/// One run of a kernel.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// Which.
    pub kernel: Kernel,
    /// Its buffers, by binding.
    pub buffers: Vec<Buffer>,
    /// Its arguments.
    pub arguments: Vec<u32>,
    /// How many workgroups.
    pub groups: [u32; 3],
}

/// What a track does in one go: uploads, then kernels one after the other, then downloads.
#[derive(Debug, Clone, Default)]
pub struct Work<'a> {
    /// Bytes on their way to the GPU.
    pub uploads: Vec<(Buffer, &'a [u8])>,
    /// Buffers that become zero.
    pub zeros: Vec<Buffer>,
    /// Kernels; each sees what those before it have written.
    pub dispatches: Vec<Dispatch>,
    /// Buffers whose first bytes come back.
    pub downloads: Vec<(Buffer, u64)>,
}

/// A GPU that has been opened.
pub trait Gpu: Send + Sync {
    /// Compiles a kernel, or finds it among those that were compiled before.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with file and line where that is known.
    fn kernel(&self, module: &Module) -> Result<Kernel, Fault>;

    /// A new track.
    ///
    /// # Errors
    ///
    /// The GPU is lost, or has no memory.
    fn track(&self) -> Result<Box<dyn Track>, Fault>;

    /// Memory that its tracks hold now.
    fn held(&self) -> u64;

    /// Does a little work and looks whether it comes out right.
    ///
    /// # Errors
    ///
    /// What is wrong with the GPU.
    fn probe(&self) -> Result<(), Fault>;

    /// Whether it has been lost: then it has to be opened anew.
    fn is_lost(&self) -> bool;
}

/// Work in order on one GPU.
pub trait Track: Send {
    /// Memory; the track keeps it until it is dropped.
    ///
    /// # Errors
    ///
    /// There is none, or the budget of the unit does not have it.
    fn buffer(&mut self, bytes: u64) -> Result<Buffer, Fault>;

    /// Begins some work. What was begun before must have been waited for.
    ///
    /// # Errors
    ///
    /// The GPU does not take it.
    fn begin(&mut self, work: &Work<'_>) -> Result<(), Fault>;

    /// Waits for the work, for so long at most; then what was downloaded, one after the other, or
    /// None if it still goes on.
    ///
    /// # Errors
    ///
    /// The work came to a bad end.
    fn wait(&mut self, at_most: Duration) -> Result<Option<Vec<Vec<u8>>>, Fault>;
}

/// A GPU that many tools share.
pub type SharedGpu = Arc<dyn Gpu>;

impl Dispatch {
    /// As many workgroups as so many threads need.
    pub fn over(kernel: &Kernel, threads: u64, buffers: &[Buffer], arguments: &[u32]) -> Self {
        let [x, y, z] = kernel.workgroup.map(u64::from);
        let groups = threads.div_ceil((x * y * z).max(1)).max(1);
        // A GPU takes at least 65,535 groups along each axis; kernels number theirs over both.
        let across = groups.min(65_535);
        let groups = [across as u32, groups.div_ceil(across) as u32, 1];
        let (kernel, buffers) = (kernel.clone(), buffers.to_vec());
        Dispatch { kernel, buffers, arguments: arguments.to_vec(), groups }
    }
}

/// The memory of a unit: what its tracks may hold together.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: u64,
    held: std::sync::atomic::AtomicU64,
}

impl Budget {
    pub(crate) fn new(bytes: u64) -> Self {
        Budget { bytes, held: 0.into() }
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// Takes so many bytes, if they are there.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), Fault> {
        use std::sync::atomic::Ordering::SeqCst;
        let taken = self.held.fetch_update(SeqCst, SeqCst, |held| {
            held.checked_add(bytes).filter(|held| *held <= self.bytes)
        });
        match taken {
            Ok(_) => Ok(()),
            Err(held) => Err(Fault::new(
                crate::fault::Blame::Memory,
                format!(
                    "{bytes} bytes beside the {held} that are held are beyond the {} of the unit",
                    self.bytes
                ),
            )),
        }
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, std::sync::atomic::Ordering::SeqCst);
    }
}
