//! Losses. Names and arguments are PyTorch's: `reduction` says what is made of the losses of all elements,
//! and `None` is its default, the mean.
//!
//! - of elements: `mse_loss`, `l1_loss`, `smooth_l1_loss`, `huber_loss`, `binary_cross_entropy`, ..
//! - of classes: `cross_entropy`, `nll_loss`, `multi_margin_loss`, ..
//! - of sequences of labels: `ctc_loss`;
//! - of pairs and triples: `cosine_embedding_loss`, `triplet_margin_loss`, `info_nce`, ..
//! - of language models that learn from preferences: `dpo_loss`, `grpo_loss`, `z_loss`.
//!
//! ```
//! use tensor_op::catalogue::losses::mse_loss;
//! use tensor_op::{Reduction, prelude::*};
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from_vec(vec![1.0, 2.0, 3.0], [3], &Device::default())?;
//! let y = Tensor::ones([3], DType::F64, &Device::default())?;
//! assert_eq!(mse_loss(&x, &y, Reduction::None)?.to_vec::<f64>()?, [0.0, 1.0, 4.0]);
//! assert_eq!(mse_loss(&x, &y, Reduction::Sum)?.item::<f64>()?, 5.0);
//! assert_eq!(mse_loss(&x, &y, None)?.item::<f64>()?, 5.0 / 3.0);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod classes;
mod ctc;
mod elementwise;
mod linear;
mod pairs;
mod preference;

pub use classes::*;
pub use ctc::*;
pub use elementwise::*;
pub use linear::*;
pub use pairs::*;
pub use preference::*;

use crate::{Reduction, tensor_op};

/// What is made of the losses of all elements.
#[tensor_op(tests = false)]
pub(crate) fn reduced(loss: Tensor, reduction: Reduction) -> Tensor {
    match reduction {
        Reduction::None => loss,
        Reduction::Mean => mean(loss, ..),
        Reduction::Sum => sum(loss, ..),
    }
}
