//! Tracks and kernels on Mesa's software driver, with the validation layer looking on.

#![cfg(feature = "vulkan")]

use std::sync::Arc;
use std::time::Duration;

use lineside_devices::kernels::{self, Form};
use lineside_devices::vulkan::{Instance, Options, VulkanGpu};
use lineside_devices::{Blame, Code, Dispatch, Gpu, Module, VulkanAddress, Work};

const MINUTE: Duration = Duration::from_secs(60);

/// A software device, and what it is asked through; none if this machine has none.
fn open(budget: u64, staged: bool) -> Option<(Arc<Instance>, VulkanGpu)> {
    let instance = match Instance::new(true) {
        Ok(instance) => Arc::new(instance),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "{why}");
            eprintln!("SKIPPED: {why}");
            return None;
        }
    };
    let devices = instance.devices().expect("a list");
    let device = devices.iter().find(|device| device.lacks.is_none())?;
    let address = VulkanAddress { index: device.index, uuid: device.uuid.known().copied() };
    let gpu = VulkanGpu::open(&instance, address, Options { budget, staged }).expect("it starts");
    Some((instance, gpu))
}

fn silent(instance: &Instance) {
    assert_eq!(instance.validation().expect("it looks on").messages(), [""; 0]);
}

const DOUBLE: &str = "
struct Arguments { count: u32, factor: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> from_it: array<u32>;
@group(0) @binding(1) var<storage, read_write> to: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arguments.count { to[id.x] = from_it[id.x] * arguments.factor; }
}
";

fn double() -> Module {
    Module {
        file: "double.wgsl".into(),
        code: Code::Wgsl(DOUBLE.into()),
        entry: "main".into(),
        buffers: 2,
        arguments: 2,
        workgroup: [1, 1, 1],
        trusted: false,
    }
}

#[test]
fn what_goes_up_is_computed_and_comes_back_with_and_without_staging() {
    for staged in [false, true] {
        let Some((instance, gpu)) = open(1 << 20, staged) else { return };
        let kernel = gpu.kernel(&double()).expect("it compiles");
        let mut track = gpu.track().expect("a track");
        let buffers = [track.buffer(400).expect("memory"), track.buffer(400).expect("memory")];
        for round in 1..4_u32 {
            let words: Vec<u8> =
                (0..100_u32).flat_map(|word| (word * round).to_ne_bytes()).collect();
            let work = Work {
                uploads: vec![(buffers[0], &words)],
                zeros: vec![buffers[1]],
                dispatches: vec![Dispatch::over(&kernel, 50, &buffers, &[50, 3])],
                downloads: vec![(buffers[1], 400), (buffers[0], 7)],
            };
            track.begin(&work).expect("it is taken");
            let results = track.wait(MINUTE).expect("no fault").expect("it ends");
            let expected = (0..100).map(|word| if word < 50 { word * round * 3 } else { 0 });
            let expected: Vec<u8> = expected.flat_map(u32::to_ne_bytes).collect();
            assert_eq!(results, [expected, words[..7].to_vec()], "staged: {staged}");
        }
        drop(track);
        assert_eq!(gpu.held(), 0);
        gpu.probe().expect("it is fine");
        silent(&instance);
    }
}

#[test]
fn the_budget_of_the_unit_is_a_bound() {
    let Some((instance, gpu)) = open(1000, false) else { return };
    let (mut one, mut two) = (gpu.track().expect("a track"), gpu.track().expect("a track"));
    one.buffer(600).expect("there is so much");
    let fault = two.buffer(600).expect_err("there is not");
    assert_eq!((fault.blame, gpu.held()), (Blame::Memory, 600));
    drop(one);
    two.buffer(600).expect("it was given back");
    silent(&instance);
}

#[test]
fn what_a_caller_gets_wrong_never_reaches_the_driver() {
    let Some((instance, gpu)) = open(1 << 20, false) else { return };
    let kernel = gpu.kernel(&double()).expect("it compiles");
    let mut track = gpu.track().expect("a track");
    let buffer = track.buffer(16).expect("memory");
    let over = |buffers: &[_], arguments: &[u32]| Work {
        dispatches: vec![Dispatch::over(&kernel, 1, buffers, arguments)],
        ..Work::default()
    };
    let mut groups = over(&[buffer, buffer], &[1, 1]);
    groups.dispatches[0].groups = [0, 1, 1];
    let bytes = [0; 17];
    let wrong = [
        over(&[buffer], &[1, 1]),
        over(&[buffer, buffer], &[1]),
        groups,
        Work { uploads: vec![(buffer, &bytes[..])], ..Work::default() },
        Work { downloads: vec![(buffer, 17)], ..Work::default() },
    ];
    for work in wrong {
        assert_eq!(track.begin(&work).expect_err("it is wrong").blame, Blame::Job);
    }
    assert_eq!(track.wait(MINUTE).expect_err("nothing was begun").blame, Blame::Job);
    track.begin(&Work::default()).expect("nothing is something");
    assert!(track.wait(MINUTE).expect("no fault").is_some());
    silent(&instance);
}

#[test]
fn tracks_run_beside_each_other() {
    let Some((instance, gpu)) = open(1 << 24, false) else { return };
    let kernel = gpu.kernel(&double()).expect("it compiles");
    std::thread::scope(|scope| {
        for thread in 1..5_u32 {
            let (gpu, kernel) = (&gpu, &kernel);
            scope.spawn(move || {
                let mut track = gpu.track().expect("a track");
                let buffers = [track.buffer(4096).unwrap(), track.buffer(4096).unwrap()];
                for _ in 0..20 {
                    let words: Vec<u8> = (0..1024_u32).flat_map(u32::to_ne_bytes).collect();
                    let work = Work {
                        uploads: vec![(buffers[0], &words)],
                        dispatches: vec![Dispatch::over(kernel, 1024, &buffers, &[1024, thread])],
                        downloads: vec![(buffers[1], 4096)],
                        ..Work::default()
                    };
                    track.begin(&work).expect("it is taken");
                    let results = track.wait(MINUTE).expect("no fault").expect("it ends");
                    let last = u32::from_ne_bytes(results[0][4092..].try_into().unwrap());
                    assert_eq!(last, 1023 * thread);
                }
            });
        }
    });
    silent(&instance);
}

#[test]
fn every_built_in_kernel_compiles_once() {
    let Some((instance, gpu)) = open(1 << 20, false) else { return };
    for pcb in [
        kernels::TILE_SUMS,
        kernels::TILE_COUNTS,
        kernels::LIGHT_GAINS,
        kernels::EVEN_LIGHT,
        kernels::BLOCK_COSTS,
        kernels::WARP,
        kernels::MARK,
        kernels::KEEP_CLUSTERED,
        kernels::CLASSIFY,
    ] {
        gpu.kernel(&pcb.module(Form::Wgsl)).expect("it compiles");
    }
    silent(&instance);
}

#[test]
fn code_for_another_api_and_bad_code_are_the_fault_of_the_job() {
    let Some((instance, gpu)) = open(1 << 20, false) else { return };
    let with = |code| Module { code, ..double() };
    let cases = [
        with(Code::Ptx(".version 8.0".into())),
        with(Code::CudaC(String::new())),
        with(Code::Spirv(vec![])),
        with(Code::Spirv(vec![0x0723_0203, 0, 0, 0, 0, 0xffff_0000])),
        with(Code::Spirv(vec![0x0723_0203, 0, 0, 0, 0, 0])),
        with(Code::Wgsl("fn main() {}".into())),
        with(Code::Wgsl(DOUBLE.replace("32", "65536"))),
        Module { entry: "other".into(), ..double() },
    ];
    for module in cases {
        assert_eq!(gpu.kernel(&module).expect_err("it is wrong").blame, Blame::Job);
    }
    silent(&instance);
}
