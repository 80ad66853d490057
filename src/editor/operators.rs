//! Operators between values. Comparisons give a `bool`, as Rust wants it, so `&`, `|`, `^` and `==`
//! take both.

use super::Value;
use std::cmp::Ordering;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

macro_rules! operators {
    ($($trait:ident $method:ident $left:ty, $right:ty;)*) => {$(
        impl $trait<$right> for $left {
            type Output = Value;
            fn $method(self, _: $right) -> Value {
                Value
            }
        }
    )*};
}

operators! {
    Add add Value, Value;
    Sub sub Value, Value;
    Mul mul Value, Value;
    Div div Value, Value;
    Rem rem Value, Value;
    BitAnd bitand Value, Value;
    BitAnd bitand Value, bool;
    BitAnd bitand bool, Value;
    BitOr bitor Value, Value;
    BitOr bitor Value, bool;
    BitOr bitor bool, Value;
    BitXor bitxor Value, Value;
    BitXor bitxor Value, bool;
    BitXor bitxor bool, Value;
    Shl shl Value, Value;
    Shr shr Value, Value;
}

impl Neg for Value {
    type Output = Value;
    fn neg(self) -> Value {
        self
    }
}

impl Not for Value {
    type Output = Value;
    fn not(self) -> Value {
        self
    }
}

impl PartialEq for Value {
    fn eq(&self, _: &Value) -> bool {
        true
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, _: &bool) -> bool {
        true
    }
}

impl PartialEq<Value> for bool {
    fn eq(&self, _: &Value) -> bool {
        true
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, _: &Value) -> Option<Ordering> {
        None
    }
}
