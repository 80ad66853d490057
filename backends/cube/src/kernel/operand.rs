//! Memory as a kernel sees it: buffers of any element type and width behind one type, and numbers that say where to go in them.

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
    /// Whether values are wrapped to a byte: `u8` in a wider type.
    pub(crate) wraps: bool,
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
            Lanes::Vector | Lanes::Same => Vector::<E, N>::cast_from(self.data[at]),
            Lanes::Strided => {
                let mut value = Vector::<E, N>::empty();
                #[unroll]
                for lane in 0..value.vector_size() {
                    value.insert(lane, E::cast_from(self.data[at + lane * stride]));
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
                self.data[at] = Vector::<Stored, Width>::cast_from(wrapped::<E, N>(value, self.form.wraps));
            }
            Lanes::Strided =>
            {
                #[unroll]
                for lane in 0..value.vector_size() {
                    let wrapped = wrapped::<E, N>(value, self.form.wraps).extract(lane);
                    self.data[at + lane * stride] = Vector::<Stored, Width>::cast_from(wrapped);
                }
            }
        }
    }
}

/// The value, of an int that is stored in a byte its lowest eight bits.
#[cube]
fn wrapped<E: Scalar, N: Size>(value: Vector<E, N>, #[comptime] wraps: bool) -> Vector<E, N> {
    if wraps {
        Vector::<E, N>::cast_from(Vector::<u32, N>::cast_from(value) & Vector::<u32, N>::new(255u32))
    } else {
        value
    }
}
