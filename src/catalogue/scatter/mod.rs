//! Elements that are written to places along an axis: what is read by `select::gather` and
//! `select::index_select` is written here. Names and arguments are PyTorch's.
//!
//! - each element has a place of its own: `scatter`, `scatter_add`, `scatter_reduce`, `masked_scatter`;
//! - rows have a place: `index_add`, `index_copy`, `index_reduce`, `index_put`.
//!
//! The functions give a new tensor and change none. A negative index counts from the end; one that is out of
//! range is an `Err`. Where an index stands twice, `scatter`, `index_copy` and `index_put` write the last of
//! the elements, while PyTorch may write any of them. Results have the same bits each time.
//!
//! ```
//! use tensor_op::catalogue::scatter::Reduce;
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = Tensor::from([[0.0, 0.0, 0.0], [5.0, 5.0, 5.0]]);
//! let (ids, src) = (Tensor::from([[2, 2], [0, -1]]), Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
//! assert_eq!(x.scatter(1, &ids, &src)?.to_vec::<f64>()?, [0.0, 0.0, 2.0, 3.0, 5.0, 4.0]);
//! assert_eq!(x.scatter_add(1, &ids, &src)?.to_vec::<f64>()?, [0.0, 0.0, 3.0, 8.0, 5.0, 9.0]);
//! let largest = x.scatter_reduce(1, &ids, &src, Reduce::Amax, false)?;
//! assert_eq!(largest.to_vec::<f64>()?, [0.0, 0.0, 2.0, 3.0, 5.0, 4.0]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("../functions_first.html"))]

mod elements;
mod places;
mod rows;

pub use elements::*;
pub use rows::*;

/// How elements that are written to one place become one. PyTorch's argument `reduce`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// Their sum.
    Sum,
    /// Their product.
    Prod,
    /// Their mean. It takes floats.
    Mean,
    /// The largest one. Equal elements share the gradient.
    Amax,
    /// The smallest one. Equal elements share the gradient.
    Amin,
}
