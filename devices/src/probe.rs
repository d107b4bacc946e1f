//! A little work whose result is known: does the device still do what it should?

use std::time::Duration;

use crate::fault::{Blame, Fault};
use crate::gpu::{Code, Dispatch, Gpu, Module, Work};

/// Each word becomes three times itself and its place.
#[cfg(feature = "vulkan")]
pub(crate) const WGSL: Form = Form {
    file: "probe.wgsl",
    code: |source| Code::Wgsl(source.to_owned()),
    source: include_str!("kernels/probe.wgsl"),
};

/// The same for CUDA.
#[cfg(feature = "cuda")]
pub(crate) const PTX: Form = Form {
    file: "pcb.ptx",
    code: |source| Code::Ptx(source.to_owned()),
    source: crate::kernels::PTX,
};

/// A form of the probe's kernel.
pub(crate) struct Form {
    pub(crate) file: &'static str,
    pub(crate) code: fn(&str) -> Code,
    pub(crate) source: &'static str,
}

const WORDS: u32 = 1024;
/// A device that takes longer over this hangs.
const AT_MOST: Duration = Duration::from_secs(5);

pub(crate) fn probe(gpu: &dyn Gpu, form: Form) -> Result<(), Fault> {
    let module = Module {
        file: form.file.into(),
        code: (form.code)(form.source),
        entry: "probe".into(),
        buffers: 1,
        arguments: 1,
        workgroup: [64, 1, 1],
        trusted: true,
    };
    let kernel = gpu.kernel(&module)?;
    let mut track = gpu.track()?;
    let bytes = u64::from(WORDS) * 4;
    let buffer = track.buffer(bytes)?;
    let words: Vec<u8> = (0..WORDS).flat_map(|word| (word ^ 0x55aa).to_ne_bytes()).collect();
    let work = Work {
        uploads: vec![(buffer, &words)],
        dispatches: vec![Dispatch::over(&kernel, WORDS.into(), &[buffer], &[WORDS])],
        downloads: vec![(buffer, bytes)],
        ..Work::default()
    };
    track.begin(&work)?;
    let Some(results) = track.wait(AT_MOST)? else {
        // It may still be at it: what it uses must not be freed.
        std::mem::forget(track);
        return Err(Fault::new(Blame::Device, "the probe does not end"));
    };
    let expected: Vec<u8> =
        (0..WORDS).flat_map(|word| ((word ^ 0x55aa) * 3 + word).to_ne_bytes()).collect();
    match results.first() == Some(&expected) {
        true => Ok(()),
        false => Err(Fault::new(Blame::Device, "the probe came out wrong")),
    }
}
