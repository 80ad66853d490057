//! Time and peak memory of a run: of the device's memory where Burn reports it, of the allocator's otherwise.

use burn::tensor::Device;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

const WORKS: &str = "the device works";

/// What a run takes.
pub struct Cost {
    /// The median of several groups of runs.
    pub seconds: f64,
    /// The most that it adds to what is in use before it; on a GPU the most that the device's pools reserve
    /// for it, in whole pages.
    pub bytes: usize,
}

/// A run, whose result lives until the device has got the work: Burn's fusion drops work whose result nobody
/// asks for.
pub fn run<'r, R>(device: &'r Device, mut work: impl FnMut() -> R + 'r) -> Box<dyn FnMut() + 'r> {
    Box::new(move || {
        let result = black_box(work());
        device.flush().expect(WORKS);
        drop(result);
    })
}

/// Measures runs, which alternate, so that what else the machine does meets each.
pub fn costs<const N: usize>(device: &Device, mut runs: [Box<dyn FnMut() + '_>; N]) -> [Cost; N] {
    let mut measured = runs.each_mut().map(|run| {
        // Kernels are compiled and tuned at first, which takes memory of its own.
        (0..4).for_each(|_| run());
        device.sync().expect(WORKS);
        let bytes = peak(device, run);
        // Groups of a twentieth of a second, so that waiting for the device does not count.
        let count = (0.05 / group(device, run, 2)).clamp(1.0, 50.0) as u32;
        (bytes, count, vec![])
    });
    for _ in 0..7 {
        for (run, (_, count, groups)) in runs.iter_mut().zip(&mut measured) {
            groups.push(group(device, run, *count));
        }
    }
    measured.map(|(bytes, _, mut groups)| {
        groups.sort_by(f64::total_cmp);
        Cost { seconds: groups[groups.len() / 2], bytes }
    })
}

/// Seconds of one of several runs.
fn group(device: &Device, run: &mut dyn FnMut(), count: u32) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| run());
    device.sync().expect(WORKS);
    start.elapsed().as_secs_f64() / f64::from(count)
}

/// The bytes that a run adds.
fn peak(device: &Device, run: &mut dyn FnMut()) -> usize {
    device.memory_cleanup();
    let pools = || device.memory_pool_usage();
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    let held = pools().map(|pools| pools.bytes_in_use);
    run();
    device.sync().expect(WORKS);
    match (held, pools()) {
        (Some(held), Some(pools)) => pools.bytes_reserved.saturating_sub(held) as usize,
        (None, _) | (_, None) => MOST.load(Relaxed).saturating_sub(before),
    }
}

/// Counts the bytes that are in use, and the most that were.
pub struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.dealloc(start, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
}
