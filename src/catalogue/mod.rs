//! Standard operations, declared as a user would, by family. Names, arguments and defaults are PyTorch's;
//! where they differ, the list below or the doc of the op says so. Many are methods of
//! [`Tensor`](crate::Tensor) too.
//!
//! The features `losses`, `optim`, `attention` and `quantize` are on by default; `vision` has what images
//! need, and `full` is all of them.
//!
//! # Where PyTorch differs
//!
//! The page `docs/pytorch.md` of the repository compares the arguments of all functions. What it can't tell:
//!
//! - `nn::embedding` takes the table first, and then the ids. `embedding::embedding_bag` and
//!   `embedding::embedding` have no `max_norm`, no `norm_type` and no `scale_grad_by_freq`.
//! - The norms of [`nn`], whose methods `Tensor` has, name their weight and bias `gamma` and `beta`, and need
//!   them. The `eps` of `nn::rms_norm` is 1e-6, not that of the dtype. [`norm::layer_norm`] and
//!   [`norm::rms_norm`] are PyTorch's.
//! - [`norm::batch_norm`] and [`norm::instance_norm`] return the running statistics that PyTorch changes in
//!   place.
//! - `attention::scaled_dot_product_attention` takes a mask beside `is_causal`, and a seed for its dropout.
//! - [`padding::pad()`] has a pair of numbers for each axis. It mirrors and goes around as often as needed,
//!   on any number of axes.
//! - [`sort::topk`] always sorts. [`movement::roll`] takes one axis.
//! - `%` between tensors has the sign of the dividend, as in Rust and in formulas. PyTorch's is `remainder`.
//! - `sort::median` and `sort::nanmedian` are of the last
//!   axis where PyTorch's are of all elements, and so is `sort::quantile`, which takes one `q`.
//! - Where an index stands twice, `scatter::scatter`, `scatter::index_copy` and `scatter::index_put` write
//!   the last of the elements, and PyTorch any of them. A mean of `scatter::scatter_reduce` takes floats
//!   only.
//! - `math::nan_to_num` has no defaults for infinities, because the largest number depends on the dtype.
//! - `product::cdist` and `product::pdist` are Euclidean, without `p`. So is
//!   `losses::triplet_margin_with_distance_loss`, since an op takes no function: its doc says how to write it
//!   for another distance.
//! - The reduction `batchmean` is `losses::kl_div_batchmean`. `losses::gaussian_nll_loss` takes negative
//!   variances, for which `eps` stands.
//! - `math::round_decimals` is `torch.round` with `decimals`, and `arith::div_rounded` is `torch.div` with
//!   `rounding_mode`.
//! - The layers of [`recurrent`] have one layer and one direction.
//! - A negative index of [`select`] and [`scatter`] counts from the end.
//! - Windows of convolutions and pools that are larger than the padded input by less than a stride give an
//!   empty result, and padding may be more than half of a window. PyTorch refuses both.
//! - `resize` computes the places of `nearest` exactly, and PyTorch in f32: few sizes above 50 differ.
//! - `pooling::max_unpool1d` and its kin take the size of the result in the place of the numbers of
//!   windows, from which it does not follow. Where windows overlap, the mean of their elements stands at a
//!   place, while PyTorch has the last one.
//! - `activation::prelu` has a weight for each channel, also where all have the same.
//! - `special::zeta` of a negative `other`, and `special::polygamma` of a negative number from order 1 on,
//!   are NaN. `special::i0` and `special::i1` of infinity are infinite.
//! - The ops of `optim` take what a decay lacks to 1, `one_minus_beta1` for `beta1`. `optim::sgd_momentum`
//!   has a momentum of 0.9 by default. `optim::adagrad` has no `lr_decay`, which the rule
//!   `tensor_op::optim::Adagrad` has, and no op has `maximize`, which the rules `Adam` and `AdamW` have.
//!   `optim::nadam` keeps the logarithm of the product of momentums.
//! - `logic::allclose` is a tensor of one bool, and `math::ldexp` takes floats. `random::dropout2d` reads
//!   three axes as one sample, and PyTorch's as a batch of rows of channels.
//! - `calculus::gradient` has its distances or points as a `Spacing`.
//! - In formulas `var` and `std` divide by the number of elements; [`reduce::var`] and [`reduce::std`] divide
//!   by one less, as in PyTorch.
//! - Bools must be cast to ints for `sum`, `sort`, `diff`, the scans and other ops of numbers. Ints stay ints
//!   where PyTorch makes floats of them: `clamp` of ints takes whole bounds.

mod along;
mod list;

pub use list::{families, ops};

pub mod activation;
#[cfg(feature = "vision")]
pub mod adaptive;
pub mod arith;
#[cfg(feature = "attention")]
pub mod attention;
pub mod bits;
pub mod calculus;
pub mod compare;
#[cfg(feature = "vision")]
pub mod convolution;
pub mod embedding;
#[cfg(feature = "vision")]
pub mod image;
pub mod logic;
#[cfg(feature = "losses")]
pub mod losses;
pub mod math;
pub mod movement;
pub mod nn;
pub mod norm;
#[cfg(feature = "optim")]
pub mod optim;
pub mod padding;
#[cfg(feature = "vision")]
pub mod pooling;
#[cfg(feature = "attention")]
pub mod position;
pub mod product;
#[cfg(feature = "quantize")]
pub mod quantize;
pub mod random;
pub mod recurrent;
pub mod reduce;
#[cfg(feature = "vision")]
pub mod resize;
#[cfg(feature = "vision")]
pub mod sample;
pub mod scan;
pub mod scatter;
pub mod segments;
pub mod select;
pub mod sort;
pub mod special;
pub mod windows;
