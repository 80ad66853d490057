//! Types of the arguments and results of a declaration.

/// A tensor of floats. `Tensor![.., m, n]` names its dims: `..` is any number of dims, `(g, c)` one
/// axis that is split into two dims, and `n = 3` a dim of a written size. A bare `Tensor` is `Tensor![..]`.
#[derive(Clone, Copy, Debug)]
pub struct Tensor;

/// A tensor of ints, with dims as in `Tensor![.., m, n]`. It has no gradient.
#[derive(Clone, Copy, Debug)]
pub struct IntTensor;

/// A tensor of bools, with dims as in `Tensor![.., m, n]`. It has no gradient.
#[derive(Clone, Copy, Debug)]
pub struct BoolTensor;

/// A tensor of floats or of ints, with dims as in `Tensor![.., m, n]`: each kind has a formula of its own.
/// All tensors of an op that have this type have one kind.
#[derive(Clone, Copy, Debug)]
pub struct NumTensor;

/// A tensor of floats, ints or bools, with dims as in `Tensor![.., m, n]`: each kind has a formula of its
/// own. All tensors of an op that have this type have one kind.
#[derive(Clone, Copy, Debug)]
pub struct AnyTensor;

/// A number of the kind that a call chooses: an f64 beside floats, an i64 beside ints, and 0 or 1 beside
/// bools.
#[derive(Clone, Copy, Debug)]
pub struct Number;

/// A dim that the caller chooses among those of plain tensors: the number of an axis, counted from the end if
/// it is negative.
#[derive(Clone, Copy, Debug)]
pub struct Axis;

/// Any number of dims that the caller chooses among those of plain tensors: a number, a list of numbers, or
/// `..` for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Axes;

/// A number from 0 to 1, such as a probability: a float in the formula. A call with another number is an
/// `Err`.
#[derive(Clone, Copy, Debug)]
pub struct Fraction;

/// The seed of random numbers. A caller passes an int, or `None`: then the generator of the device gives one.
#[derive(Clone, Copy, Debug)]
pub struct Seed;
