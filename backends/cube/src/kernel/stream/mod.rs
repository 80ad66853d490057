//! A stream as one kernel: products whose results go through passes over each row into other products, such
//! as attention. The scores are never stored.
//!
//! A cube has a tile of rows of one batch, and goes over the columns in blocks. A team of units has 16 of the
//! rows. For each block:
//!
//! 1. The cube copies the block of the factors with columns to shared memory ([`stage`]).
//! 2. Each team computes its scores ([`product`]). They stay in registers.
//! 3. Each unit runs the passes on its scores ([`weigh`]), which gives weights.
//! 4. Each team multiplies its weights by a block of the other factor, and adds this to its sums.
//!
//! In the end the sums are stored ([`finish`]). A statistic of a row that the weights need takes a walk over
//! the columns of its own, before. Columns that a mask hides from all rows of a tile are left out
//! ([`bounds`]).
//!
//! If the weights are exponentials below a maximum of the row, the maximum is not known before the last
//! block. So the weights are relative to the largest score so far, and the sums are rescaled when it grows.
//! The idea is that of FlashAttention (Dao, 2023, arXiv 2307.08691). Here what happens to the scores is any
//! formula: the programs of the passes are unrolled on the registers. [`weights`] finds what can run in this
//! way. All else runs as other kernels do, in tiles.
//!
//! Scores lie in registers as the matrix instruction `m16n8k16` of NVIDIA's GPUs gives them: a unit has two
//! rows, and pairs of neighbouring columns. The result of one product is then a factor of the next without
//! any exchange between units. A device without these instructions computes the same sums by plain ones.

pub(super) mod bounds;
mod finish;
mod kernel;
pub(super) mod launch;
mod plan;
mod product;
mod stage;
mod tiles;
mod weigh;
mod weights;
