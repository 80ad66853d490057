//! A tensor in parts along an axis. The gradient joins those of the parts again, once for all of them.

use super::{Tensor, error};
use crate::{Arrived, ErrorKind, Function, Result, apply};

impl Tensor {
    /// Parts of `size` positions along an axis, in order. The last one is shorter if the axis ends before.
    /// `torch.split`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let parts = Tensor::from([1, 2, 3, 4, 5]).split(2, 0)?;
    /// let parts: Vec<Vec<i32>> = parts.iter().map(Tensor::to_vec).collect::<Result<_>>()?;
    /// assert_eq!(parts, [vec![1, 2], vec![3, 4], vec![5]]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn split(&self, size: usize, axis: i64) -> Result<Vec<Tensor>> {
        let length = self.length("split", axis)?;
        if size == 0 {
            return Err(error("split", ErrorKind::Length, "parts of size 0 have no end; write 1 or more"));
        }
        let starts = (0..length.max(1)).step_by(size);
        self.parts("split", axis, starts.map(|start| size.min(length - start)).collect())
    }

    /// Parts of these sizes along an axis, in order. They add up to the axis. `torch.split` with a list.
    pub fn split_sizes(&self, sizes: &[usize], axis: i64) -> Result<Vec<Tensor>> {
        let length = self.length("split_sizes", axis)?;
        let total = sizes.iter().try_fold(0usize, |total, size| total.checked_add(*size));
        if total != Some(length) {
            let message = format!("the sizes {sizes:?} don't add up to {length}, the size of axis {axis}");
            return Err(error("split_sizes", ErrorKind::Length, message));
        }
        self.parts("split_sizes", axis, sizes.to_vec())
    }

    /// At most `count` parts of one size along an axis, of which the last one may be shorter. There are fewer
    /// parts if the size does not allow as many. `torch.chunk`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// assert_eq!(Tensor::from([1, 2, 3, 4, 5, 6]).chunk(4, 0)?.len(), 3);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn chunk(&self, count: usize, axis: i64) -> Result<Vec<Tensor>> {
        let length = self.length("chunk", axis)?;
        if count == 0 {
            return Err(error("chunk", ErrorKind::Length, "there are no 0 parts; write 1 or more"));
        }
        self.split(length.div_ceil(count).max(1), axis)
    }

    /// Each position of an axis, which is removed. `torch.unbind`.
    ///
    /// A loop over the positions is faster so than by [`select`](Tensor::select), whose gradients have the
    /// size of this tensor each.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).require_grad();
    /// let mut product = Tensor::from([1.0, 1.0]);
    /// for row in x.unbind(0)? {
    ///     product = (product * row)?;
    /// }
    /// assert_eq!(product.to_vec::<f64>()?, [3.0, 8.0]);
    /// assert_eq!(product.sum(..)?.backward()?[&x].to_vec::<f64>()?, [3.0, 4.0, 1.0, 2.0]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn unbind(&self, axis: i64) -> Result<Vec<Tensor>> {
        let length = self.length("unbind", axis)?;
        let parts = self.parts("unbind", axis, vec![1; length])?;
        parts.iter().map(|part| part.squeeze(axis)).collect()
    }

    fn length(&self, op: &'static str, axis: i64) -> Result<usize> {
        let shape = self.shape();
        shape.axis(axis).map(|axis| shape[axis]).map_err(|error| error.with_op(op))
    }

    /// Parts of sizes that add up to the axis.
    fn parts(&self, name: &'static str, axis: i64, sizes: Vec<usize>) -> Result<Vec<Tensor>> {
        let split = Split { name, axis, sizes };
        if self.is_tracked() { apply(split, &[self]) } else { split.forward(std::slice::from_ref(self)) }
    }
}

/// Parts of these sizes along an axis.
struct Split {
    name: &'static str,
    axis: i64,
    sizes: Vec<usize>,
}

impl Function<Tensor> for Split {
    fn name(&self) -> &str {
        self.name
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut end = 0;
        let part = |size: &usize| {
            let start = end;
            end += size;
            inputs[0].slice(self.axis, start as i64..end as i64)
        };
        self.sizes.iter().map(part).collect()
    }

    fn backward(&self, call: &Arrived<'_, Tensor>) -> Result<Vec<Option<Tensor>>> {
        let gradients = call.gradients.iter().zip(call.results);
        let parts = gradients.map(|(gradient, part)| gradient.clone().map_or_else(|| part.zeros_like(), Ok));
        let parts: Vec<Tensor> = parts.collect::<Result<_>>()?;
        Ok(vec![if parts.is_empty() { None } else { Some(Tensor::cat(&parts, self.axis)?) }])
    }
}
