//! The arguments that the function of an op accepts: tensors and results of other ops, tensors that may be
//! left out, what a loss makes of its elements, numbers that fit a float argument, and sets of axes.

use crate::{Axes, Number, Result, Tensor};
use std::ops::RangeFull;

/// A tensor argument of an op. A [`Tensor`] gives its buffer away, and a `&Tensor` keeps it. It may also be
/// the `Result<Tensor>` of another op, so that nested calls need only one `?`. If an argument is an `Err`, it
/// is the result of the call.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn double(x: Tensor) -> Tensor {
///     x + x
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::scalar(1.0, &Device::default())?;
/// assert_eq!(double(double(&x))?.item::<f64>()?, 4.0);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for a tensor",
    label = "this is no `Tensor`, `&Tensor` or `Result<Tensor>`",
    note = "a number becomes a tensor by `Tensor::scalar(2.0, &device)?`, a `Vec` by `Tensor::from_vec(vec, [2, 3], &device)?`"
)]
pub trait IntoTensor {
    /// The tensor.
    ///
    /// # Errors
    ///
    /// The error of the op whose result this is.
    fn into_tensor(self) -> Result<Tensor>;
}

impl IntoTensor for Tensor {
    fn into_tensor(self) -> Result<Tensor> {
        Ok(self)
    }
}

impl IntoTensor for &Tensor {
    fn into_tensor(self) -> Result<Tensor> {
        Ok(self.clone())
    }
}

impl IntoTensor for Result<Tensor> {
    fn into_tensor(self) -> Result<Tensor> {
        self
    }
}

/// An optional tensor argument of an op, `Option<Tensor>`: `None`, or what [`IntoTensor`] takes. A module
/// passes its own `Option<Tensor>` as `&self.bias`, and keeps it.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn shifted(x: Tensor, by: Option<Tensor>) -> Tensor {
///     x + by.unwrap_or(0.0)
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::scalar(1.0, &Device::default())?;
/// assert_eq!(shifted(&x, None)?.item::<f64>()?, 1.0);
/// assert_eq!(shifted(&x, &x)?.item::<f64>()?, 2.0);
/// assert_eq!(shifted(&x, shifted(&x, Some(x.clone())))?.item::<f64>()?, 3.0);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for an optional tensor",
    label = "this is no `None`, `Tensor`, `&Tensor`, `Result<Tensor>`, `Option<Tensor>` or `&Option<Tensor>`",
    note = "`as_ref` is not needed: pass `&bias` if `bias` is an `Option<Tensor>`"
)]
pub trait IntoOptionalTensor {
    /// The tensor, if it was passed.
    ///
    /// # Errors
    ///
    /// The error of the op whose result this is.
    fn into_optional_tensor(self) -> Result<Option<Tensor>>;
}

impl IntoOptionalTensor for Tensor {
    fn into_optional_tensor(self) -> Result<Option<Tensor>> {
        Ok(Some(self))
    }
}

impl IntoOptionalTensor for &Tensor {
    fn into_optional_tensor(self) -> Result<Option<Tensor>> {
        Ok(Some(self.clone()))
    }
}

impl IntoOptionalTensor for Result<Tensor> {
    fn into_optional_tensor(self) -> Result<Option<Tensor>> {
        self.map(Some)
    }
}

// No other `Option` may have an implementation: it is the only one that `None` can mean.
impl IntoOptionalTensor for Option<Tensor> {
    fn into_optional_tensor(self) -> Result<Option<Tensor>> {
        Ok(self)
    }
}

impl IntoOptionalTensor for &Option<Tensor> {
    fn into_optional_tensor(self) -> Result<Option<Tensor>> {
        Ok(self.clone())
    }
}

/// What a loss makes of the losses of all elements. An op may have an argument of this type, as of any other
/// enum, and a formula for each variant.
///
/// ```
/// use tensor_op::{Reduction, prelude::*};
///
/// #[tensor_op]
/// fn absolute_loss(x: Tensor, y: Tensor, reduction: Reduction) -> Tensor {
///     let e = abs(x - y);
///     match reduction {
///         Reduction::None => e,
///         Reduction::Mean => mean(e, ..),
///         Reduction::Sum => sum(e, ..),
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::from_vec(vec![1.0, 2.0], [2], &Device::default())?;
/// let zero = Tensor::scalar(0.0, &Device::default())?;
/// assert_eq!(absolute_loss(&x, &zero, Reduction::Mean)?.item::<f64>()?, 1.5);
/// assert_eq!(absolute_loss(&x, &zero, Reduction::None)?.shape().to_vec(), [2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The losses as they are.
    None,
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
}

/// A float argument of an op, `T`: a float, or an integer that a float can hold, such as `2`. If the argument
/// has a default, `T` is an `Option`, and `None` stands for the default.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn scaled(x: Tensor, by: f64, #[default(1.0)] plus: f64) -> Tensor {
///     x * by + plus
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::scalar(3.0, &Device::default())?;
/// assert_eq!(scaled(&x, 2, None)?.item::<f64>()?, 7.0);
/// assert_eq!(scaled(&x, 0.5_f32, 2)?.item::<f64>()?, 3.5);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for an argument of type `{T}`",
    label = "this is neither `{T}` nor a number that always fits it",
    note = "write `value as f64`"
)]
pub trait IntoFloat<T> {
    /// The number.
    fn into_float(self) -> T;
}

macro_rules! into_float {
    ($float:ident: $($number:ident),*) => {
        $(
            impl IntoFloat<$float> for $number {
                fn into_float(self) -> $float {
                    $float::from(self)
                }
            }
            impl IntoFloat<Option<$float>> for $number {
                fn into_float(self) -> Option<$float> {
                    Some($float::from(self))
                }
            }
        )*
        impl IntoFloat<Option<$float>> for Option<$float> {
            fn into_float(self) -> Option<$float> {
                self
            }
        }
    };
}
into_float!(f64: f64, f32, i32, u32, i16, u16, i8, u8);
into_float!(f32: f32, i16, u16, i8, u8);

/// For whole numbers that are written in code. Beyond 2^24 they are rounded, like a float that is written in
/// code.
impl IntoFloat<f32> for i32 {
    fn into_float(self) -> f32 {
        self as f32
    }
}

impl IntoFloat<Option<f32>> for i32 {
    fn into_float(self) -> Option<f32> {
        Some(self as f32)
    }
}

/// An argument of an op of the type [`Number`]: a number of any type. If the argument has a default, `T` is
/// an `Option`, and `None` stands for the default.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn at_least(x: NumTensor, #[default(0)] least: Number) -> NumTensor {
///     maximum(x, least)
/// }
///
/// # fn main() -> Result<()> {
/// let ids = Tensor::from([3, -1]);
/// assert_eq!(at_least(&ids, None)?.to_vec::<i32>()?, [3, 0]);
/// assert_eq!(at_least(&ids, 7_i64)?.to_vec::<i32>()?, [7, 7]);
/// assert!(at_least(&ids, 0.5).is_err());
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for an argument of type `{T}`",
    label = "this is no number"
)]
pub trait IntoNumber<T> {
    /// The number.
    fn into_number(self) -> T;
}

macro_rules! into_number {
    ($($number:ident),*) => {$(
        impl IntoNumber<Number> for $number {
            fn into_number(self) -> Number {
                self.into()
            }
        }
        impl IntoNumber<Option<Number>> for $number {
            fn into_number(self) -> Option<Number> {
                Some(self.into())
            }
        }
    )*};
}
into_number!(Number, f64, f32, i64, i32, u32, u8, usize);

impl IntoNumber<Option<Number>> for Option<Number> {
    fn into_number(self) -> Option<Number> {
        self
    }
}

/// A set of axes, as an op takes it for an argument of type `Axes`: one axis, several, or `..` for all of
/// them. If the argument has a default, `T` is an `Option`, and `None` stands for the default.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn total(x: Tensor, #[default(all)] axes: Axes) -> Tensor {
///     sum(x, axes)
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([2, 3, 4], DType::F64, &Device::default())?;
/// assert_eq!(total(&x, [0, -1])?.to_vec::<f64>()?, [8.0; 3]);
/// assert_eq!(total(&x, 1)?.shape().to_vec(), [2, 4]);
/// assert_eq!(total(&x, vec![0, 1])?.shape().to_vec(), [4]);
/// assert_eq!(total(&x, ..)?.item::<f64>()?, 24.0);
/// assert_eq!(total(&x, None)?.item::<f64>()?, 24.0);
/// assert!(total(&x, [1, 1]).is_err());
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for a set of axes",
    label = "this is neither a number, a list of numbers nor `..`",
    note = "axes are `i64`: write `1`, `[0, -1]`, `&axes`, or `..` for all of them"
)]
pub trait IntoAxes<T> {
    /// The axes.
    fn into_axes(self) -> T;
}

macro_rules! into_axes {
    ($(($($generic:tt)*) $given:ty, $value:ident => $axes:expr;)*) => {
        $(
            impl<$($generic)*> IntoAxes<Axes> for $given {
                fn into_axes(self) -> Axes {
                    let $value = self;
                    $axes
                }
            }
            impl<$($generic)*> IntoAxes<Option<Axes>> for $given {
                fn into_axes(self) -> Option<Axes> {
                    let $value = self;
                    Some($axes)
                }
            }
        )*
    };
}
into_axes! {
    () Axes, axes => axes;
    () i64, axis => Axes::of(&[axis]);
    () &[i64], axes => Axes::of(axes);
    () Vec<i64>, axes => Axes::of(&axes);
    () &Vec<i64>, axes => Axes::of(axes);
    (const N: usize) [i64; N], axes => Axes::of(&axes);
    (const N: usize) &[i64; N], axes => Axes::of(axes);
    () RangeFull, _all => Axes::all();
}

impl IntoAxes<Option<Axes>> for Option<Axes> {
    fn into_axes(self) -> Option<Axes> {
        self
    }
}

/// A list, as an op takes it for `stride @ [sh, sw]: [usize; 2]`, or one number for all of its elements. If
/// the argument has a default, `L` is an `Option`, and `None` stands for the default.
///
/// ```
/// use tensor_op::prelude::*;
///
/// #[tensor_op]
/// fn thinned(
///     x: Tensor![h, w],
///     #[default(1)] stride @ [sh, sw]: [usize; 2],
/// ) -> Tensor![oh = (h - 1) / sh + 1, ow = (w - 1) / sw + 1] {
///     at(x, h = oh * sh, w = ow * sw)
/// }
///
/// # fn main() -> Result<()> {
/// let x = Tensor::ones([4, 6], DType::F32, &Device::default())?;
/// assert_eq!(thinned(&x, [1, 2])?.shape().to_vec(), [4, 3]);
/// assert_eq!(thinned(&x, None)?.shape().to_vec(), [4, 6]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an op takes no `{Self}` for a list of type `{L}`",
    note = "write `2`, `[2, 1]`, or `None` for a default; a list of `f64` takes `[1.0, 0.5]`"
)]
pub trait IntoList<L> {
    /// The list.
    fn into_list(self) -> L;
}

macro_rules! into_list {
    ($($number:ident),*) => {$(
        impl<const N: usize> IntoList<[$number; N]> for $number {
            fn into_list(self) -> [$number; N] {
                [self; N]
            }
        }
        impl<const N: usize> IntoList<Option<[$number; N]>> for $number {
            fn into_list(self) -> Option<[$number; N]> {
                Some([self; N])
            }
        }
    )*};
}
into_list!(usize, i64, f64);

impl<T, const N: usize> IntoList<[T; N]> for [T; N] {
    fn into_list(self) -> [T; N] {
        self
    }
}

impl<T, const N: usize> IntoList<Option<[T; N]>> for [T; N] {
    fn into_list(self) -> Option<[T; N]> {
        Some(self)
    }
}

impl<T, const N: usize> IntoList<Option<[T; N]>> for Option<[T; N]> {
    fn into_list(self) -> Option<[T; N]> {
        self
    }
}
