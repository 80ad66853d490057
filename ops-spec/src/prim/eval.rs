//! Primitives on constants of each kind, for folding: ints wrap, `/` and `%` truncate and give 0 by zero.

use super::Prim;
use crate::ir::Scalar;

impl Prim {
    /// The value on constants, or `None` if it doesn't take operands of these kinds. NaNs are made one.
    pub fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        let kinds: Vec<_> = args.iter().map(|a| a.kind()).collect();
        let kind = self.result_kind(&kinds)?;
        if let (Prim::Select, [Scalar::Bool(cond), yes, no]) = (self, args) {
            return Some(if *cond { *yes } else { *no });
        }
        if let [Scalar::Int(a), rest @ ..] = args {
            let b = match rest {
                [Scalar::Int(b), ..] => *b,
                [..] => 0,
            };
            return self.eval_int(*a, b);
        }
        let values: Vec<f64> = args.iter().map(|a| a.as_f64()).collect();
        Some(Scalar::Float((self.row().reference)(&values)).cast(kind))
    }

    fn eval_int(self, a: i64, b: i64) -> Option<Scalar> {
        let value = match self {
            Prim::Neg => a.wrapping_neg(),
            Prim::Abs => a.wrapping_abs(),
            Prim::Sign => a.signum(),
            Prim::Add => a.wrapping_add(b),
            Prim::Sub => a.wrapping_sub(b),
            Prim::Mul => a.wrapping_mul(b),
            Prim::Div => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_div(b)
                }
            }
            Prim::Rem => {
                if b == 0 {
                    0
                } else {
                    a.wrapping_rem(b)
                }
            }
            Prim::Maximum => a.max(b),
            Prim::Minimum => a.min(b),
            Prim::Lt => return Some(Scalar::Bool(a < b)),
            Prim::Le => return Some(Scalar::Bool(a <= b)),
            Prim::Gt => return Some(Scalar::Bool(a > b)),
            Prim::Ge => return Some(Scalar::Bool(a >= b)),
            Prim::Eq => return Some(Scalar::Bool(a == b)),
            Prim::Ne => return Some(Scalar::Bool(a != b)),
            Prim::Exp
            | Prim::Exp2
            | Prim::Expm1
            | Prim::Ln
            | Prim::Log2
            | Prim::Log1p
            | Prim::Sqrt
            | Prim::Rsqrt
            | Prim::Recip
            | Prim::Sin
            | Prim::Cos
            | Prim::Tan
            | Prim::Asin
            | Prim::Acos
            | Prim::Atan
            | Prim::Sinh
            | Prim::Cosh
            | Prim::Tanh
            | Prim::Asinh
            | Prim::Acosh
            | Prim::Atanh
            | Prim::Erf
            | Prim::Erfc
            | Prim::Floor
            | Prim::Ceil
            | Prim::Round
            | Prim::Pow
            | Prim::Atan2
            | Prim::And
            | Prim::Or
            | Prim::Not
            | Prim::IsNan
            | Prim::IsFinite
            | Prim::Select => return None,
        };
        Some(Scalar::Int(value))
    }
}
