//! A sum of products with a result of the op, in place of a sum over more dims.
//!
//! The gradient of attention, `o = sum(w * b, s)` with weights `w` that sum to 1, needs
//! `sum(sum(a * b, e) * w, s)` for each row, where `a` is the gradient of `o`. Either sum may come first, and
//! with the other order it is `sum(a * o, e)`: no loop over `s`. Source: Dao et al., "FlashAttention", 2022,
//! arXiv 2205.14135, appendix B.

use super::Rewriter;
use crate::ir::{DimSet, Node, NodeId, Op, Value};
use crate::prim::{Fold, Prim};

impl<'b> Rewriter<'b> {
    /// The sum of `x` over these dims with a result of the op, if there is such a result.
    pub(super) fn sum_by_result(self, dims: DimSet, x: Value<'b>) -> Option<Value<'b>> {
        let [p, w] = <[_; 2]>::try_from(self.operands(x, Prim::Mul)?).ok()?;
        [(p, w), (w, p)].into_iter().find_map(|(p, w)| {
            let Op::Reduce(Fold::Sum, inner, product) = self.op(p) else { return None };
            let product = self.builder.value(product);
            let [a, b] = <[_; 2]>::try_from(self.operands(product, Prim::Mul)?).ok()?;
            let is_apart = |value: Value<'b>, dims: DimSet| value.dims().intersection(dims).is_empty();
            [(a, b), (b, a)].into_iter().find_map(|(a, b)| {
                let result = self.result(dims, w, b)?;
                (is_apart(a, dims) && is_apart(w, inner))
                    .then(|| self.reduce(Fold::Sum, inner, self.mul(a, result)))
            })
        })
    }

    /// `sum(w * b, dims)`, if it is a result of the op.
    fn result(self, dims: DimSet, w: Value<'b>, b: Value<'b>) -> Option<Value<'b>> {
        let find = |op: Op, dims: DimSet| self.builder.find(&Node { op, dims, kind: w.kind(), name: None });
        let all = w.dims().union(b.dims());
        let product = find(Op::Apply(Prim::Mul, vec![w.id, b.id]), all)?;
        let sum = find(Op::Reduce(Fold::Sum, dims, product.id), all.difference(dims))?;
        self.is_result(sum.id).then_some(sum)
    }

    fn is_result(self, id: NodeId) -> bool {
        self.shared().is_some_and(|shared| shared.borrow().results.contains(&id))
    }
}
