//! A line for each operator: the op of the catalogue, or a declaration where the catalogue has none, and
//! how the arguments of PyTorch's operator become those of the op.

use crate::call::{Call, Outcome};
use crate::check::TOLERANCE;
use tensor_op::Tensor;

pub(crate) struct Entry {
    /// PyTorch's name of the operator, and its variant.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Call) -> Outcome,
    /// Positions of float arguments without a gradient, if shapes don't tell: see `Sample::load`.
    pub(crate) constants: &'static [&'static str],
    /// The tolerance: relative to the reference, and absolute.
    pub(crate) tolerance: (f64, f64),
    /// Why the tolerance is wider than usual.
    pub(crate) because: Option<&'static str>,
}

impl Entry {
    fn new(name: &'static str, run: fn(&Call) -> Outcome) -> Entry {
        Entry { name, run, constants: &[], tolerance: TOLERANCE, because: None }
    }

    /// Sets a wider relative tolerance, and the reason for it.
    fn within(mut self, relative: f64, because: &'static str) -> Entry {
        (self.tolerance.0, self.because) = (relative, Some(because));
        self
    }

    /// Marks the floats at these positions as arguments without a gradient.
    fn constants(mut self, places: &'static [&'static str]) -> Entry {
        self.constants = places;
        self
    }
}

/// The results of an op: one tensor or several.
trait Outputs {
    fn outputs(self) -> Outcome;
}

impl Outputs for Tensor {
    fn outputs(self) -> Outcome {
        Ok(vec![self])
    }
}

impl Outputs for (Tensor, Tensor) {
    fn outputs(self) -> Outcome {
        Ok(vec![self.0, self.1])
    }
}

impl Outputs for (Tensor, Tensor, Tensor) {
    fn outputs(self) -> Outcome {
        Ok(vec![self.0, self.1, self.2])
    }
}

/// Makes a function `known()` that lists ops of the catalogue with PyTorch's arguments, by position and by
/// name. The names are PyTorch's, and the order is that of the catalogue.
macro_rules! known {
    ($($torch:literal $module:ident::$op:ident($($x:ident: $kind:ident $(= $default:expr)?),*))*) => {
        fn known() -> Vec<$crate::ops::Entry> {
            vec![$($crate::ops::Entry::new($torch, |call| {
                let mut places = 0..;
                let mut place = || places.next().unwrap_or_default();
                $crate::ops::Outputs::outputs($module::$op($($crate::ops::argument!(call, place(), $x: $kind $(, default $default)?)),*)?)
            })),*]
        }
    };
}

/// Reads the argument of an op, by its type.
macro_rules! argument {
    ($call:ident, $place:expr, $x:ident: Tensor) => {
        $call.float($place, stringify!($x))?
    };
    ($call:ident, $place:expr, $x:ident: IntTensor) => {
        $call.ints($place, stringify!($x))?
    };
    ($call:ident, $place:expr, $x:ident: BoolTensor) => {
        $call.bools($place, stringify!($x))?
    };
    ($call:ident, $place:expr, $x:ident: Option) => {
        $call.optional($place, stringify!($x))?
    };
    ($call:ident, $place:expr, $x:ident: Reduction) => {
        $crate::ops::loss::reduction($call)?
    };
    ($call:ident, $place:expr, $x:ident: bool, default $default:tt) => {
        $call.flag($place, stringify!($x), $default)?
    };
    ($call:ident, $place:expr, $x:ident: f64 $(, default $($default:tt)*)?) => {
        $call.number($place, stringify!($x))?$(.or(Some($($default)*)))?.ok_or_else(|| $call.wrong(stringify!($x), "given"))?
    };
}

use {argument, known};

mod activation;
mod along;
mod binary;
mod create;
mod diagonal;
mod difference;
mod einsum;
mod fourier;
mod index;
mod linalg;
mod loss;
mod masked;
mod movement;
mod norm;
mod pad;
mod product;
mod reduction;
mod resample;
mod scan;
mod scatter;
mod segments;
mod softmax;
mod unary;
mod window;

pub(crate) fn all() -> Vec<Entry> {
    let tables = [
        activation::table(),
        binary::table(),
        create::table(),
        diagonal::table(),
        difference::table(),
        einsum::table(),
        fourier::table(),
        index::table(),
        linalg::table(),
        loss::table(),
        masked::table(),
        movement::table(),
        norm::table(),
        pad::table(),
        product::table(),
        reduction::table(),
        resample::table(),
        scan::table(),
        scatter::table(),
        segments::table(),
        softmax::table(),
        unary::table(),
        window::table(),
    ];
    tables.into_iter().flatten().collect()
}
