//! Sweeps: scans whose states stay in registers.
//!
//! A unit has some points: a vector of a row, or several. It walks along the axis of the scan. At each step
//! it evaluates the passes at its points, takes the next step of each scan from what a pass gives, and keeps
//! the states. If there are folds, the units of a row share what they fold at each step.
//!
//! `launch.rs` decides how points are dealt to units, `points.rs` finds those of a unit, `kernel.rs` has the
//! walk, and `state.rs` what a unit keeps.

mod kernel;
pub(super) mod launch;
mod plan;
mod points;
mod state;
