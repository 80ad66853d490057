//! What kinds and scalars mean: their names, equality of floats by bits, conversions.

use super::{Kind, Scalar, ScalarType};
use std::fmt;
use std::hash::{Hash, Hasher};

impl ScalarType {
    /// Every type.
    pub const ALL: [ScalarType; 7] = [
        ScalarType::F64,
        ScalarType::F32,
        ScalarType::Fraction,
        ScalarType::I64,
        ScalarType::Usize,
        ScalarType::Seed,
        ScalarType::Bool,
    ];

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Kind of the scalar inside a formula.
    pub fn kind(self) -> Kind {
        match self {
            ScalarType::F64 | ScalarType::F32 | ScalarType::Fraction => Kind::Float,
            ScalarType::I64 | ScalarType::Usize | ScalarType::Seed => Kind::Int,
            ScalarType::Bool => Kind::Bool,
        }
    }

    /// The type's name in a declaration.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::F64 => "f64",
            ScalarType::F32 => "f32",
            ScalarType::Fraction => "Fraction",
            ScalarType::I64 => "i64",
            ScalarType::Usize => "usize",
            ScalarType::Seed => "Seed",
            ScalarType::Bool => "bool",
        }
    }

    /// The name of its type in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            ScalarType::Seed => ScalarType::I64.name(),
            ScalarType::Fraction => ScalarType::F64.name(),
            ScalarType::F64 | ScalarType::F32 | ScalarType::I64 | ScalarType::Usize | ScalarType::Bool => {
                self.name()
            }
        }
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Bool(a), Scalar::Bool(b)) => a == b,
            (Scalar::Float(_) | Scalar::Int(_) | Scalar::Bool(_), _) => false,
        }
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Scalar::Float(x) => x.to_bits().hash(state),
            Scalar::Int(x) => x.hash(state),
            Scalar::Bool(x) => x.hash(state),
        }
    }
}

impl Scalar {
    /// Kind of the value.
    pub fn kind(self) -> Kind {
        match self {
            Scalar::Float(_) => Kind::Float,
            Scalar::Int(_) => Kind::Int,
            Scalar::Bool(_) => Kind::Bool,
        }
    }

    /// The value as a float; bools are 0 and 1.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Float(x) => x,
            Scalar::Int(x) => x as f64,
            Scalar::Bool(x) => f64::from(u8::from(x)),
        }
    }

    /// Whether it is a number from 0 to 1, as a [`ScalarType::Fraction`] is.
    pub fn is_fraction(self) -> bool {
        (0.0..=1.0).contains(&self.as_f64())
    }

    /// Conversion as [`Op::Cast`](super::Op::Cast) does it. Every NaN becomes the one NaN that the text form
    /// can hold.
    pub fn cast(self, kind: Kind) -> Scalar {
        match (self, kind) {
            (Scalar::Float(x), Kind::Float) => Scalar::Float(if x.is_nan() { f64::NAN } else { x }),
            (Scalar::Int(_), Kind::Int) | (Scalar::Bool(_), Kind::Bool) => self,
            (Scalar::Int(_) | Scalar::Bool(_), Kind::Float) => Scalar::Float(self.as_f64()),
            (Scalar::Float(x), Kind::Int) => Scalar::Int(x as i64),
            (Scalar::Bool(x), Kind::Int) => Scalar::Int(i64::from(x)),
            (Scalar::Float(_) | Scalar::Int(_), Kind::Bool) => Scalar::Bool(self.as_f64() != 0.0),
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Float, Kind::Int, Kind::Bool];

    /// The type of a tensor of this kind, as a declaration writes it.
    pub fn tensor(self) -> &'static str {
        match self {
            Kind::Float => "Tensor",
            Kind::Int => "IntTensor",
            Kind::Bool => "BoolTensor",
        }
    }

    /// `float`, `int` or `bool`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Float => "float",
            Kind::Int => "int",
            Kind::Bool => "bool",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
