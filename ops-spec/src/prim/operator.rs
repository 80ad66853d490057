//! The one table of operators: which primitives a formula and generated Rust write as operators, and how
//! tightly these bind.

use super::{Arithmetic, Bits, Comparison, Equality, Group, Logic, Prim, Unary};

/// How tightly the outermost operator of an expression binds, as in Rust. The weakest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    Compare,
    Or,
    Xor,
    And,
    Shift,
    Sum,
    Product,
    Prefix,
    /// A name, a number, a call, or what stands in parentheses.
    Whole,
}

/// An operator, which stands before one operand or between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    pub(crate) sign: &'static str,
    pub(crate) binding: Binding,
}

impl Prim {
    /// The operator that stands for a primitive. `None` if the primitive is called by its name.
    pub(crate) fn operator(self) -> Option<Operator> {
        let (sign, binding) = match self.group() {
            Group::Comparison(Comparison::Lt) => ("<", Binding::Compare),
            Group::Comparison(Comparison::Le) => ("<=", Binding::Compare),
            Group::Comparison(Comparison::Gt) => (">", Binding::Compare),
            Group::Comparison(Comparison::Ge) => (">=", Binding::Compare),
            Group::Equality(Equality::Eq) => ("==", Binding::Compare),
            Group::Equality(Equality::Ne) => ("!=", Binding::Compare),
            Group::Logic(Logic::Or) => ("|", Binding::Or),
            Group::Logic(Logic::And) => ("&", Binding::And),
            Group::Logic(Logic::Not) => ("!", Binding::Prefix),
            Group::Bits(Bits::BitOr) => ("|", Binding::Or),
            Group::Bits(Bits::BitXor) => ("^", Binding::Xor),
            Group::Bits(Bits::BitAnd) => ("&", Binding::And),
            Group::Bits(Bits::Shl) => ("<<", Binding::Shift),
            Group::Bits(Bits::Shr) => (">>", Binding::Shift),
            Group::Arithmetic(Arithmetic::Add) => ("+", Binding::Sum),
            Group::Arithmetic(Arithmetic::Sub) => ("-", Binding::Sum),
            Group::Arithmetic(Arithmetic::Mul) => ("*", Binding::Product),
            Group::Arithmetic(Arithmetic::Div) => ("/", Binding::Product),
            Group::Arithmetic(Arithmetic::Rem) => ("%", Binding::Product),
            Group::Unary(Unary::Neg) => ("-", Binding::Prefix),
            Group::Unary(Unary::Abs | Unary::Sign)
            | Group::Arithmetic(Arithmetic::Maximum | Arithmetic::Minimum)
            | Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Test(_)
            | Group::Choice(_)
            | Group::Draw(_) => return None,
        };
        Some(Operator { sign, binding })
    }

    /// The operator or the function name of a primitive, as a formula writes it.
    pub(crate) fn written(self) -> &'static str {
        self.operator().map_or(self.name(), |operator| operator.sign)
    }
}

impl Binding {
    /// How tightly the left and the right operand of such an operator must bind to need no parentheses.
    /// Operators of one level group to the left, but comparisons can't be chained. An operator on bools or
    /// bits inside a comparison gets parentheses, for the reader.
    pub(crate) fn operands(self) -> (Binding, Binding) {
        match self {
            Binding::Compare => (Binding::Sum, Binding::Sum),
            Binding::Or => (Binding::Or, Binding::Xor),
            Binding::Xor => (Binding::Xor, Binding::And),
            Binding::And => (Binding::And, Binding::Shift),
            Binding::Shift => (Binding::Shift, Binding::Sum),
            Binding::Sum => (Binding::Sum, Binding::Product),
            Binding::Product => (Binding::Product, Binding::Prefix),
            Binding::Prefix | Binding::Whole => (Binding::Prefix, Binding::Prefix),
        }
    }
}
