//! Random elements by Philox 4x32-10 (Salmon et al., 2011). Each element depends only on the seed and on its
//! position.

use crate::device::Opened;
use crate::kernel::grid::{UNITS, address, spread};
use crate::kernel::math::parts::float;
use crate::kernel::math::random::philox;
use crate::kernel::operand::{Buffer, BufferLaunch, Fit, Form, Lanes};
use crate::tensor::CubeTensor;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use std::f64::consts::TAU;
use tensor_op_core::{DType, Distribution, Draw, Error, ErrorKind, Result};

/// A tensor of random floats.
pub(crate) fn random(draw: &Draw, device: &'static Opened) -> Result<CubeTensor> {
    let dtype = draw.dtype();
    let out = CubeTensor::empty(draw.shape(), dtype, device)?;
    let len = out.elements();
    if len == 0 {
        return Ok(out);
    }
    let is_double = dtype == DType::F64;
    // The distance is computed in halves, because it may be more than the largest number.
    let (is_normal, [a, b, end]) = match draw.distribution() {
        Distribution::Uniform { low, high } => (false, [low, high / 2.0 - low / 2.0, high]),
        Distribution::Normal { mean, std } => (true, [mean, std, 0.0]),
    };
    if is_double && is_normal && !device.is_native {
        let message = format!("{} draws no normal f64; draw f32 and cast", device.name());
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    let (seed, first) = (draw.seed(), draw.first());
    let arithmetic = ElemType::Float(if is_double { FloatKind::F64 } else { FloatKind::F32 });
    // SAFETY: the buffer holds `len` elements, and units beyond them stop at once.
    unsafe {
        let buffer = BufferArg::from_raw_parts(out.handle.clone(), len);
        random_kernel::launch_unchecked(
            device.client(),
            spread(len.div_ceil(UNITS), device)?,
            CubeDim::new_1d(UNITS as u32),
            address(len, device)?,
            BufferLaunch {
                buffer,
                form: Form { elem: out.elem(), width: 1, lanes: Lanes::Same, fit: Fit::Convert },
            },
            len,
            seed as u32,
            (seed >> 32) as u32,
            first as u32,
            (first >> 32) as u32,
            InputScalar::new(a, arithmetic),
            InputScalar::new(b, arithmetic),
            InputScalar::new(end, arithmetic),
            is_normal,
            is_double,
            arithmetic,
        );
    }
    Ok(out)
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn random_kernel<A: Float>(
    out: &mut Buffer,
    len: usize,
    key_low: u32,
    key_high: u32,
    first_low: u32,
    first_high: u32,
    a: InputScalar,
    b: InputScalar,
    end: InputScalar,
    #[comptime] is_normal: bool,
    #[comptime] is_double: bool,
    #[define(A)] _arithmetic: ElemType,
) {
    let at = ABSOLUTE_POS;
    if at >= len {
        terminate!();
    }
    // The position in the draw, in 64 bits.
    let low = first_low + u32::cast_from(at);
    let carry = select(low < first_low, 1u32, 0u32);
    let drawn =
        philox(low, first_high + upper_half(at) + carry, 0u32.runtime(), 0u32.runtime(), key_low, key_high);
    let x = fraction::<A>(drawn[0], drawn[1], is_double);
    let y = fraction::<A>(drawn[2], drawn[3], is_double);
    let (a, b, end) = (a.get::<A>(), b.get::<A>(), end.get::<A>());
    let value = if is_normal {
        // The Box-Muller transform, whose first number must not be 0.
        let radius = A::sqrt(A::new(-2.0) * A::ln(A::new(1.0) - x));
        a + b * radius * A::cos(float::<A>(TAU) * y)
    } else {
        let value = a + b * x + b * x;
        select(value < end, value, a)
    };
    let none = 0usize.runtime();
    out.store::<A, Const<1>>(at, none, Vector::<A, Const<1>>::new(value));
}

/// The bits of a number above its lower 32 bits, if it has more.
#[cube]
fn upper_half(at: usize) -> u32 {
    let bits = usize::size_bits().comptime();
    if comptime!(bits == 64) { u32::cast_from(at >> comptime!(bits / 2)) } else { 0u32.runtime() }
}

/// A number in [0, 1).
#[cube]
fn fraction<A: Float>(high: u32, low: u32, #[comptime] is_double: bool) -> A {
    if is_double {
        let upper = A::cast_from(high >> 5u32) * A::new(67108864.0);
        (upper + A::cast_from(low >> 6u32)) * float::<A>(comptime!(2f64.powi(-53)))
    } else {
        A::cast_from(high >> 8u32) * float::<A>(comptime!(2f64.powi(-24)))
    }
}
