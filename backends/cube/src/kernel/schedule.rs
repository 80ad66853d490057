//! The schedule of an op for a GPU.

use std::sync::OnceLock;
use tensor_op_core::Spec;
use tensor_op_spec::schedule::{CostModel, Schedule, schedule, with_fused};

#[derive(Debug, Default)]
struct Scheduled(OnceLock<Schedule>);

/// The schedule of an op for a GPU, which is made once.
pub(super) fn of(spec: &Spec) -> &Schedule {
    let make = || with_fused(spec.graph(), schedule(spec.graph(), CostModel::GPU));
    spec.memo::<Scheduled>().0.get_or_init(make)
}
