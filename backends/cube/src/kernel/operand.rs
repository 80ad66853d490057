//! Memory as a kernel sees it: buffers of any element type and width behind one type, and numbers that say
//! where to go in them.

use cubecl::ir::{IntKind, UIntKind};
use cubecl::prelude::*;
use cubecl::{define_scalar, define_size};

define_scalar!(pub(crate) Stored);
define_size!(pub(crate) Width);

/// A buffer whose elements are vectors of some width; which, is known when the kernel is compiled.
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
    /// Lanes that lie next to each other and are moved at once; 1 otherwise.
    pub(crate) width: usize,
    /// What the lanes of a vector are.
    pub(crate) lanes: Lanes,
    /// What is done to a value so that it fits.
    pub(crate) fit: Fit,
}

/// What is done to a value so that its element type has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fit {
    /// The device's conversion.
    Convert,
    /// Wrapped to a byte: `u8` in a wider type.
    Wrap,
    /// Rounded to a `bf16`: the conversion cuts off, as SPIR-V allows and NVIDIA's driver does.
    Round,
}

/// What the lanes of a vector are in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// One vector of the form's width.
    Vector,
    /// One element for all.
    Same,
    /// Elements at a stride.
    Strided,
}

/// A [`Buffer`] to be launched with.
pub(crate) struct BufferLaunch {
    pub(crate) buffer: BufferArg,
    pub(crate) form: Form,
}

/// What of a [`Buffer`] a kernel is compiled for.
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

/// Says what [`Stored`] and [`Width`] stand for from here on.
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
    /// Lanes at `at`, which counts elements, or vectors where the lanes are one.
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

/// The value in the type of arithmetic. To naga (30.0.1) a `u32` that becomes an `i64` has a sign: it takes
/// its way through `u64`.
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

/// The value that the element type has.
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

/// The nearest number with the digits of a `bf16`, of two the even one.
#[cube]
fn rounded<N: Size>(value: Vector<f32, N>) -> Vector<f32, N> {
    let bits = Vector::<u32, N>::reinterpret(value);
    let is_odd = (bits >> Vector::<u32, N>::new(16u32)) & Vector::<u32, N>::new(1u32);
    let up = bits + Vector::<u32, N>::new(0x7fffu32) + is_odd;
    let short = Vector::<f32, N>::reinterpret(up & Vector::<u32, N>::new(0xffff_0000u32));
    select_many(Vector::is_nan(value), value, short)
}
