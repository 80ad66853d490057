//! Comparisons as methods, with tensors and numbers. The ops are those of
//! [`catalogue::compare`](crate::catalogue::compare). There are no operators: those of Rust give a `bool`.

use super::Tensor;
use super::operand::{IntoOperand, Operand, Pair, pair};
use crate::catalogue::compare;
use crate::{DType, Result};

const EQ: Pair = pair("eq", compare::eq, compare::eq_scalar);
const NE: Pair = pair("ne", compare::ne, compare::ne_scalar);
const LT: Pair = pair("lt", compare::lt, compare::lt_scalar);
const LE: Pair = pair("le", compare::le, compare::le_scalar);
const GT: Pair = pair("gt", compare::gt, compare::gt_scalar);
const GE: Pair = pair("ge", compare::ge, compare::ge_scalar);

/// The comparison. Bools count as 0 and 1.
fn compared(pair: &Pair, x: &Tensor, y: impl IntoOperand) -> Result<Tensor> {
    let counted = |x: Tensor| if x.dtype() == DType::Bool { x.cast(DType::U8) } else { Ok(x) };
    let y = match y.into_operand()? {
        Operand::Tensor(y) => Operand::Tensor(counted(y)?),
        Operand::Number(y) if x.dtype() == DType::Bool && y.int(DType::U8).is_none() => {
            return Err(y.refused(pair.name, DType::Bool));
        }
        Operand::Number(y) => Operand::Number(y.rounded(x.dtype())),
    };
    pair.operand(counted(x.clone())?, y)
}

/// Comparisons give tensors of bools. Shapes broadcast; of bools, false is less than true. Beside a tensor of
/// floats a number is rounded to the dtype of the tensor, as in PyTorch.
impl Tensor {
    /// Where the elements are equal. `torch.eq`.
    ///
    /// ```
    /// # use tensor_op::prelude::*;
    /// let x = Tensor::from([1.0, 2.0]);
    /// assert_eq!(x.eq(&x)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(x.eq(2)?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), tensor_op::Error>(())
    /// ```
    pub fn eq(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&EQ, self, y)
    }

    /// Where the elements differ. `torch.ne`.
    pub fn ne(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&NE, self, y)
    }

    /// Where the elements are less than `y`. `torch.lt`.
    pub fn lt(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&LT, self, y)
    }

    /// Where the elements are less than `y`, or equal. `torch.le`.
    pub fn le(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&LE, self, y)
    }

    /// Where the elements are greater than `y`. `torch.gt`.
    pub fn gt(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&GT, self, y)
    }

    /// Where the elements are greater than `y`, or equal. `torch.ge`.
    pub fn ge(&self, y: impl IntoOperand) -> Result<Tensor> {
        compared(&GE, self, y)
    }
}
