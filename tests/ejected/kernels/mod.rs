//! Ejected kernels, one file for each op. The test writes them, in a format of its own.

#[rustfmt::skip]
pub(crate) mod attention;
#[rustfmt::skip]
pub(crate) mod column_stats;
#[rustfmt::skip]
pub(crate) mod conv1d;
#[rustfmt::skip]
pub(crate) mod cross_entropy;
#[rustfmt::skip]
pub(crate) mod decayed;
#[rustfmt::skip]
pub(crate) mod embedding;
#[rustfmt::skip]
pub(crate) mod layer_norm;
#[rustfmt::skip]
pub(crate) mod linear_gelu;
#[rustfmt::skip]
pub(crate) mod middle;
#[rustfmt::skip]
pub(crate) mod noisy;
#[rustfmt::skip]
pub(crate) mod rows_into;
#[rustfmt::skip]
pub(crate) mod silu_mul;
#[rustfmt::skip]
pub(crate) mod functions;
#[rustfmt::skip]
pub(crate) mod roundings;
#[rustfmt::skip]
pub(crate) mod ints;
#[rustfmt::skip]
pub(crate) mod conditions;
#[rustfmt::skip]
pub(crate) mod causal;
