//! Row, column and mixed kernels. They work on rows of vectors; several units of a cube share each row.
//!
//! If a row fits into `kept` vectors per unit, its elements stay in registers from pass to pass. Otherwise
//! each pass reads the row again, a few vectors at a time; a maximum and the exponentials below it then take
//! only one pass ([`online`]). A kernel with columns goes on from row to row, because a unit that visits the
//! same vectors in all rows can keep its columns in registers. In the end each cube has partial columns, and
//! a second kernel folds them.
//!
//! The lanes of a vector are neighbouring elements of a row, or the same element of neighbouring rows, which
//! are a band. What is said of a row here then holds for a band, but [`online`] does not.
//!
//! From the bottom up: [`online`] finds passes that run as one, [`plan`] is what a kernel is compiled for.
//! [`place`] says where a unit works, and [`load`] what it loads. [`columns`],
//! [`exponentials`] and [`squares`] are parts of the work, which [`kernel`] puts together
//! and [`launch`] starts.

mod columns;
mod exponentials;
mod kernel;
pub(super) mod launch;
mod load;
pub(super) mod online;
mod place;
mod plan;
mod squares;
