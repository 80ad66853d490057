//! Reductions over the axes of PyTorch's `dim` and `keepdim`, by an op that takes axes, or that reduces one
//! axis.

use crate::call::{Argument, Call, Outcome};
use tensor_op::prelude::*;
use tensor_op::{Axes, Shape};

/// The axes of a call, and whether they stay with size 1.
pub(super) struct Along {
    axes: Option<Vec<i64>>,
    keep: bool,
}

impl Along {
    /// Reads `dim` and `keepdim`, beginning at this position.
    pub(super) fn new(call: &Call, place: usize) -> Outcome<Along> {
        let axes = match call.get(place, "dim") {
            Argument::None => None,
            // An empty list of axes stands for all axes.
            _ => call.list(place, "dim")?.filter(|axes| !axes.is_empty()),
        };
        Ok(Along { axes, keep: call.flag(place + 1, "keepdim", false)? })
    }

    pub(super) fn all() -> Along {
        Along { axes: None, keep: false }
    }

    pub(super) fn axis(axis: i64, keep: bool) -> Along {
        Along { axes: Some(vec![axis]), keep }
    }

    pub(super) fn keeping(self, keep: bool) -> Along {
        Along { keep, ..self }
    }

    /// Passes the axes to the op.
    pub(super) fn over(&self, x: &Tensor, op: impl Fn(Tensor, Axes) -> Result<Tensor>) -> Outcome<Tensor> {
        Ok(self.over_each(x, |x, axes| Ok(vec![op(x, axes)?]))?.remove(0))
    }

    /// Does the same as [`Along::over`], for several results.
    pub(super) fn over_each(
        &self,
        x: &Tensor,
        op: impl Fn(Tensor, Axes) -> Result<Vec<Tensor>>,
    ) -> Outcome<Vec<Tensor>> {
        // PyTorch takes axis 0 of a tensor that has none.
        let named = self.axes.as_ref().filter(|_| x.rank() > 0);
        let results = op(x.clone(), named.map_or_else(Axes::all, |axes| Axes::of(axes)))?;
        self.kept(results, &x.shape())
    }

    /// Passes a single axis to the op. Several axes are moved to the end and merged first.
    pub(super) fn one(&self, x: &Tensor, op: impl Fn(Tensor, i64) -> Result<Tensor>) -> Outcome<Tensor> {
        Ok(self.each(&[x], |x, axis| Ok(vec![op(x[0].clone(), axis)?]))?.remove(0))
    }

    /// Does the same as [`Along::one`], for several tensors of one shape and several results.
    pub(super) fn each(
        &self,
        inputs: &[&Tensor],
        op: impl Fn(&[Tensor], i64) -> Result<Vec<Tensor>>,
    ) -> Outcome<Vec<Tensor>> {
        let shape = inputs[0].shape();
        if shape.rank() == 0 {
            let inputs = inputs.iter().map(|x| x.reshape([1])).collect::<Result<Vec<_>>>()?;
            return Ok(op(&inputs, 0)?.iter().map(|y| y.reshape([0_i64; 0])).collect::<Result<_>>()?);
        }
        let axes = self.places(&shape)?;
        let kept: Vec<usize> = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
        let results = if let [axis] = axes[..] {
            let inputs: Vec<Tensor> = inputs.iter().map(|x| (*x).clone()).collect();
            op(&inputs, axis as i64)?
        } else {
            let order: Vec<i64> = kept.iter().chain(&axes).map(|axis| *axis as i64).collect();
            let mut sizes: Vec<usize> = kept.iter().map(|axis| shape[*axis]).collect();
            sizes.push(axes.iter().map(|axis| shape[*axis]).product());
            let merged = |x: &&Tensor| x.permute(&order)?.reshape(sizes.clone());
            op(&inputs.iter().map(merged).collect::<Result<Vec<_>>>()?, -1)?
        };
        self.kept(results, &shape)
    }

    /// The axes that are reduced, or all.
    fn places(&self, shape: &Shape) -> Result<Vec<usize>> {
        match &self.axes {
            Some(axes) if shape.rank() > 0 => axes.iter().map(|axis| shape.axis(*axis)).collect(),
            Some(_) | None => Ok((0..shape.rank()).collect()),
        }
    }

    /// The results, with the reduced axes as such of size 1 if the call keeps them.
    fn kept(&self, results: Vec<Tensor>, shape: &Shape) -> Outcome<Vec<Tensor>> {
        if !self.keep {
            return Ok(results);
        }
        let axes = self.places(shape)?;
        let size = |axis: usize| if axes.contains(&axis) { 1 } else { shape[axis] };
        let sizes: Vec<usize> = (0..shape.rank()).map(size).collect();
        Ok(results.iter().map(|y| y.reshape(sizes.clone())).collect::<Result<_>>()?)
    }
}

/// Runs an op along an axis that stays. A tensor without axes is treated as if it had one.
pub(super) fn within(x: &Tensor, axis: i64, op: impl Fn(Tensor, i64) -> Result<Tensor>) -> Outcome<Tensor> {
    if x.rank() == 0 {
        return Ok(op(x.reshape([1])?, 0)?.reshape([0_i64; 0])?);
    }
    Ok(op(x.clone(), axis)?)
}
