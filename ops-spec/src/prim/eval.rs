//! Primitives on constants of each kind, for folding: ints wrap, `/` and `%` truncate and give 0 by zero.

use super::{Arithmetic, Bits, Comparison, Equality, Group, Prim, Unary, philox};
use crate::ir::Scalar;

impl Prim {
    /// The value on constants, or `None` if it doesn't take operands of these kinds. NaNs are made one.
    pub fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        let kinds: Vec<_> = args.iter().map(|a| a.kind()).collect();
        let kind = self.result_kind(&kinds)?;
        if let (Prim::Select, [Scalar::Bool(cond), yes, no]) = (self, args) {
            return Some(if *cond { *yes } else { *no });
        }
        if let (Prim::Random, [Scalar::Int(seed), Scalar::Int(stream), Scalar::Int(position)]) = (self, args)
        {
            return Some(Scalar::Float(philox::uniform(*seed, *stream, *position)));
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
        let value = match self.group() {
            Group::Unary(Unary::Neg) => a.wrapping_neg(),
            Group::Unary(Unary::Abs) => a.wrapping_abs(),
            Group::Unary(Unary::Sign) => a.signum(),
            Group::Arithmetic(Arithmetic::Add) => a.wrapping_add(b),
            Group::Arithmetic(Arithmetic::Sub) => a.wrapping_sub(b),
            Group::Arithmetic(Arithmetic::Mul) => a.wrapping_mul(b),
            Group::Arithmetic(Arithmetic::Div) if b == 0 => 0,
            Group::Arithmetic(Arithmetic::Div) => a.wrapping_div(b),
            Group::Arithmetic(Arithmetic::Rem) if b == 0 => 0,
            Group::Arithmetic(Arithmetic::Rem) => a.wrapping_rem(b),
            Group::Arithmetic(Arithmetic::Maximum) => a.max(b),
            Group::Arithmetic(Arithmetic::Minimum) => a.min(b),
            Group::Bits(bits) => bits.of_ints(a, b),
            Group::Comparison(Comparison::Lt) => return Some(Scalar::Bool(a < b)),
            Group::Comparison(Comparison::Le) => return Some(Scalar::Bool(a <= b)),
            Group::Comparison(Comparison::Gt) => return Some(Scalar::Bool(a > b)),
            Group::Comparison(Comparison::Ge) => return Some(Scalar::Bool(a >= b)),
            Group::Equality(Equality::Eq) => return Some(Scalar::Bool(a == b)),
            Group::Equality(Equality::Ne) => return Some(Scalar::Bool(a != b)),
            Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Logic(_)
            | Group::Test(_)
            | Group::Choice(_)
            | Group::Draw(_) => {
                return None;
            }
        };
        Some(Scalar::Int(value))
    }
}

impl Bits {
    /// The value on ints. A shift by a negative number, or by 64 and more, moves all bits out: then `<<`
    /// gives 0, and `>>` gives 0 or -1, as the sign says.
    pub fn of_ints(self, a: i64, b: i64) -> i64 {
        match self {
            Bits::BitAnd => a & b,
            Bits::BitOr => a | b,
            Bits::BitXor => a ^ b,
            Bits::Shl if (0..64).contains(&b) => a << b,
            Bits::Shl => 0,
            Bits::Shr if (0..64).contains(&b) => a >> b,
            Bits::Shr => a >> 63,
        }
    }

    /// The value on ints that are given as floats.
    pub(super) fn of_floats(self, a: f64, b: f64) -> f64 {
        self.of_ints(a as i64, b as i64) as f64
    }
}
