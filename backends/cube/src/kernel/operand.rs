//! Memory as a kernel sees it: one type for buffers of any element type and width, and numbers that give
//! positions in them.

use cubecl::ir::{IntKind, UIntKind};
use cubecl::prelude::*;
use cubecl::{define_scalar, define_size};

define_scalar!(pub(crate) Stored);
define_size!(pub(crate) Width);

/// A buffer whose elements are vectors. Their width is known when the kernel is compiled.
#[derive(CubeType, Clone)]
#[expand(derive(Clone))]
pub(crate) struct Buffer {
    data: Box<[Vector<Stored, Width>]>,
    #[cube(comptime)]
    form: Form,
}

/// How the elements of a buffer are stored, and how a vector of them is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// Type in memory.
    pub(crate) elem: ElemType,
    /// Number of adjacent lanes that are moved at once; 1 for other forms of lanes.
    pub(crate) width: usize,
    /// How the lanes of a vector lie in memory.
    pub(crate) lanes: Lanes,
    /// How a value is changed to fit the element type.
    pub(crate) fit: Fit,
}

/// How a value is changed so that its element type can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fit {
    /// By the device's conversion.
    Convert,
    /// Wrapped to a byte: `u8` in a wider type.
    Wrap,
    /// Rounded to a `bf16`. The device's conversion would truncate, as SPIR-V allows and NVIDIA's driver
    /// does.
    Round,
}

/// How the lanes of a vector lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// The lanes are one vector of the form's width.
    Vector,
    /// All lanes are the same element.
    Same,
    /// The lanes are elements at a stride.
    Strided,
}

/// A [`Buffer`] as an argument of a launch.
pub(crate) struct BufferLaunch {
    pub(crate) buffer: BufferArg,
    pub(crate) form: Form,
}

/// The properties of a [`Buffer`] that a kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BufferCompilation {
    buffer: <[Vector<Stored, Width>] as LaunchArg>::CompilationArg,
    form: Form,
}

impl LaunchArg for Buffer {
    type RuntimeArg = BufferLaunch;
    type CompilationArg = BufferCompilation;

    fn register(arg: BufferLaunch, launcher: &mut KernelLauncher) -> BufferCompilation {
        launcher.with_scope(|scope| set_form(scope, arg.form));
        let buffer = <[Vector<Stored, Width>]>::register(arg.buffer, launcher);
        BufferCompilation { buffer, form: arg.form }
    }

    fn expand(arg: &BufferCompilation, builder: &mut KernelBuilder) -> BufferExpand {
        set_form(&builder.scope, arg.form);
        let data = <Box<[Vector<Stored, Width>]>>::expand(&arg.buffer, builder);
        BufferExpand { data, form: arg.form }
    }
}

/// Sets what [`Stored`] and [`Width`] stand for from here on.
fn set_form(scope: &Scope, form: Form) {
    scope.register_type::<Stored>(form.elem);
    scope.register_size::<Width>(form.width);
}

#[cube]
#[allow(unused_variables, reason = "used when the kernel is compiled")]
fn use_form(#[comptime] form: Form) {
    intrinsic!(|scope| {
        set_form(scope, form);
    })
}

#[cube]
impl Buffer {
    /// Reads lanes at `at`, which counts vectors if the lanes are one vector, and elements otherwise.
    pub(crate) fn load<E: Scalar, N: Size>(&self, at: usize, stride: usize) -> Vector<E, N> {
        use_form(self.form);
        match comptime!(self.form.lanes) {
            Lanes::Vector | Lanes::Same => widened::<E, N, Width>(self.data[at], self.form.elem),
            Lanes::Strided => {
                let mut value = Vector::<E, N>::empty();
                #[unroll]
                for lane in 0..value.vector_size() {
                    let element = self.data[at + lane * stride];
                    value
                        .insert(lane, widened::<E, Const<1>, Width>(element, self.form.elem).extract(0usize));
                }
                value
            }
        }
    }

    /// Writes lanes.
    pub(crate) fn store<E: Scalar, N: Size>(&mut self, at: usize, stride: usize, value: Vector<E, N>) {
        use_form(self.form);
        match comptime!(self.form.lanes) {
            Lanes::Vector | Lanes::Same => {
                self.data[at] = Vector::<Stored, Width>::cast_from(fitted::<E, N>(value, self.form.fit));
            }
            Lanes::Strided =>
            {
                #[unroll]
                for lane in 0..value.vector_size() {
                    let fitted = fitted::<E, N>(value, self.form.fit).extract(lane);
                    self.data[at + lane * stride] = Vector::<Stored, Width>::cast_from(fitted);
                }
            }
        }
    }
}

/// The value in the type of arithmetic. naga (30.0.1) treats a `u32` that is converted to `i64` as signed, so
/// the conversion goes through `u64`.
#[cube]
fn widened<E: Scalar, N: Size, M: Size>(
    value: Vector<Stored, M>,
    #[comptime] elem: ElemType,
) -> Vector<E, N> {
    if comptime!(elem == ElemType::UInt(UIntKind::U32)) && is_long::<E>() {
        Vector::<E, N>::cast_from(Vector::<u64, N>::cast_from(value))
    } else {
        Vector::<E, N>::cast_from(value)
    }
}

#[cube]
#[allow(clippy::extra_unused_type_parameters, reason = "the question is about the type")]
fn is_long<E: Scalar>() -> comptime_type!(bool) {
    intrinsic!(|scope| E::elem_type(scope) == ElemType::Int(IntKind::I64))
}

/// Changes a value so that the element type can hold it.
#[cube]
fn fitted<E: Scalar, N: Size>(value: Vector<E, N>, #[comptime] fit: Fit) -> Vector<E, N> {
    match fit {
        Fit::Convert => value,
        Fit::Wrap => {
            Vector::<E, N>::cast_from(Vector::<u32, N>::cast_from(value) & Vector::<u32, N>::new(255u32))
        }
        Fit::Round => Vector::<E, N>::cast_from(rounded::<N>(Vector::<f32, N>::cast_from(value))),
    }
}

/// Rounds to the nearest `bf16`; a tie goes to the even one.
#[cube]
fn rounded<N: Size>(value: Vector<f32, N>) -> Vector<f32, N> {
    let bits = Vector::<u32, N>::reinterpret(value);
    let is_odd = (bits >> Vector::<u32, N>::new(16u32)) & Vector::<u32, N>::new(1u32);
    let up = bits + Vector::<u32, N>::new(0x7fffu32) + is_odd;
    let short = Vector::<f32, N>::reinterpret(up & Vector::<u32, N>::new(0xffff_0000u32));
    select_many(Vector::is_nan(value), value, short)
}
