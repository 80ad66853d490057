//! The schedule of an op for a GPU.

use std::sync::OnceLock;
use tensor_op_core::Spec;
use tensor_op_spec::schedule::{Schedule, schedule_for_gpu};

#[derive(Debug, Default)]
struct Scheduled {
    schedule: OnceLock<Schedule>,
    fingerprint: OnceLock<u64>,
}

/// The schedule of an op for a GPU, which is made once.
pub(super) fn of(spec: &Spec) -> &Schedule {
    spec.memo::<Scheduled>().schedule.get_or_init(|| schedule_for_gpu(spec.graph()))
}

/// The fingerprint of this schedule, which is made once: each call of an ejected kernel compares it.
pub(super) fn fingerprint(spec: &Spec) -> u64 {
    let make = || of(spec).fingerprint(spec.graph());
    *spec.memo::<Scheduled>().fingerprint.get_or_init(make)
}
