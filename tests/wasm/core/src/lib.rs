//! The core alone as a module: every call of it is in there, and the module imports nothing.

#![no_std]

use core::panic::PanicInfo;

use lineside_core::{
    Edge, Event, JobId, JobSpec, LeaseId, Memory, ModelId, ModelSpec, Place, Policy, Scheduler,
    StreamId, StreamSpec, UnitId, UnitSpec,
};

/// Two jobs, one after the other, on one unit; answers how many events there were.
#[unsafe(no_mangle)]
pub extern "C" fn decide(images: u32) -> u32 {
    let mut memory = Memory::<2, 1, 1, 1, 2, 1, 1>::new();
    let mut scheduler = Scheduler::new(Policy::default(), memory.storage());
    let mut events = 0;
    let mut out = |_: &Scheduler<'_>, _: Event| events += 1;
    let decided = two_jobs(&mut scheduler, images, &mut out);
    every_other_call(&mut scheduler, &mut out);
    if decided.is_some() { events } else { 0 }
}

fn two_jobs(
    scheduler: &mut Scheduler<'_>,
    images: u32,
    out: &mut impl FnMut(&Scheduler<'_>, Event),
) -> Option<()> {
    scheduler.add_model(ModelSpec { weights: 1 }).ok()?;
    scheduler.add_stream(StreamSpec { limit: Some(1) }).ok()?;
    let unit = UnitSpec { place: Place::Cuda, budget: 2, slots: 1, profile: None };
    scheduler.add_unit(&unit).ok()?;
    let spec = JobSpec {
        images,
        model: Some(ModelId(0)),
        stream: Some(StreamId(0)),
        timeout: Some(10),
        ..JobSpec::default()
    };
    let first = scheduler.submit(0, &spec, &[], out).ok()?;
    let second = scheduler.submit(0, &spec, &[Edge::barrier(first)], out).ok()?;
    for job in [first, second] {
        scheduler.arrive(0, job, images, out).ok()?;
    }
    for now in 1..=u64::from(images) * 2 {
        if let Some(mut choice) = scheduler.choose(now) {
            core::hint::black_box(choice.reason());
            choice.grant(out);
        }
        let lease = scheduler.leases_at(UnitId(0)).ok()?.next()?;
        scheduler.finish(now, lease, out).ok()?;
    }
    scheduler.verify().ok()
}

/// What nothing of this comes from: ids that are over are errors.
fn every_other_call(scheduler: &mut Scheduler<'_>, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
    let stale = u32::MAX - 1;
    let lease = LeaseId { index: core::hint::black_box(0), generation: stale };
    let job = JobId { index: core::hint::black_box(0), generation: stale };
    let unit = UnitId(core::hint::black_box(stale));
    let now = scheduler.now();
    core::hint::black_box(scheduler.poll_timeout());
    let answers = [
        scheduler.feed(now, job, out).is_err(),
        scheduler.cancel(now, job, out).is_err(),
        scheduler.remove(job).is_err(),
        scheduler.fail(now, lease, out).is_err(),
        scheduler.given_back(now, lease, out).is_err(),
        scheduler.down(now, unit, out).is_err(),
        scheduler.drain(now, unit, out).is_err(),
        scheduler.up(now, unit, out).is_err(),
        scheduler.why(now, job).is_err(),
        scheduler.handle_timeout(now, out).is_none(),
        scheduler.break_circle(now, out).is_none(),
    ];
    assert!(answers.iter().all(|&expected| expected));
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    loop {}
}
