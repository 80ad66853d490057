//! The lane that holds one f32 or f64. Its operations are plain and branch-free where that matters, so that a
//! loop over them becomes SIMD code.

use super::isa::Isa;
use super::{Int, Lane, math};
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use tensor_op_spec::prim::{gamma, philox};

/// One element, computed with the instruction set `I`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Scalar<T, I>(T, PhantomData<I>);

impl<T, I> Scalar<T, I> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Scalar(value, PhantomData)
    }
}

macro_rules! operators {
    ($($op:ident $method:ident),*) => {$(
        impl<T: $op<Output = T>, I> $op for Scalar<T, I> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Scalar::new(self.0.$method(other.0))
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl<T: Neg<Output = T>, I> Neg for Scalar<T, I> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Scalar::new(-self.0)
    }
}

/// Methods that are a function of the element.
macro_rules! delegate {
    ($($method:ident = $function:expr;)*) => {$(
        #[inline(always)]
        fn $method(self) -> Self {
            Scalar::new($function(self.0))
        }
    )*};
}

macro_rules! compare {
    ($($method:ident $op:tt;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> bool {
            self.0 $op other.0
        }
    )*};
}

macro_rules! lane {
    ($t:ident { $($functions:tt)* } pow = $pow:expr; atan2 = $atan2:expr; random = $random:expr;) => {
        impl<I: Isa> Lane for Scalar<$t, I> {
            const OF_ROWS: bool = I::OF_ROWS;
            type Mask = bool;
            type Int = Int;
            type Element = $t;

            #[inline(always)]
            fn float(value: f64) -> Self {
                Scalar::new(value as $t)
            }
            #[inline(always)]
            fn int(value: i64) -> Int {
                Int(value)
            }
            #[inline(always)]
            fn mask(value: bool) -> bool {
                value
            }
            #[inline(always)]
            fn load(element: $t) -> Self {
                Scalar::new(element)
            }
            #[inline(always)]
            fn store(self) -> $t {
                self.0
            }

            delegate! {
                $($functions)*
                sqrt = $t::sqrt;
                rsqrt = |x: $t| 1.0 / x.sqrt();
                recip = $t::recip;
                abs = $t::abs;
                floor = $t::floor;
                ceil = $t::ceil;
                trunc = $t::trunc;
                round = $t::round_ties_even;
                sign = |x: $t| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 };
            }

            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                if self.0 > other.0 || self.0.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                if self.0 < other.0 || self.0.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self {
                Scalar::new($pow(self.0, exponent.0))
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                Scalar::new($atan2(self.0, x.0))
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Scalar::new(math::fma::<I, $t>(self.0, factor.0, term.0))
            }

            compare! {
                lt <;
                le <=;
                gt >;
                ge >=;
                equal ==;
                not_equal !=;
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self.0.is_nan()
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.0.is_finite()
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn select_int(mask: bool, a: Int, b: Int) -> Int {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn select_mask(mask: bool, a: bool, b: bool) -> bool {
                (mask & a) | (!mask & b)
            }
            #[inline(always)]
            fn random(seed: Int, stream: Int, position: Int) -> Self {
                Scalar::new($random(seed.0, stream.0, position.0))
            }
            #[inline(always)]
            fn from_int(value: Int) -> Self {
                Scalar::new(value.0 as $t)
            }
            #[inline(always)]
            fn from_mask(value: bool) -> Self {
                Scalar::new(if value { 1.0 } else { 0.0 })
            }
            #[inline(always)]
            fn int_from_mask(value: bool) -> Int {
                Int(i64::from(value))
            }
            #[inline(always)]
            fn to_int(self) -> Int {
                Int(self.0 as i64)
            }
            #[inline(always)]
            fn to_mask(self) -> bool {
                self.0 != 0.0
            }
        }
    };
}

lane! {
    f32 {
        exp = math::exp::<I, f32>;
        exp2 = math::exp2::<I, f32>;
        expm1 = math::expm1::<I, f32>;
        ln = math::ln::<I, f32>;
        log2 = math::log2::<I, f32>;
        log1p = math::log1p::<I, f32>;
        sin = math::sin::<I>;
        cos = math::cos::<I>;
        tan = math::tan::<I>;
        asin = |x| math::asin::<I>(f64::from(x)) as f32;
        acos = |x| math::acos::<I>(f64::from(x)) as f32;
        atan = |x| math::atan::<I>(f64::from(x)) as f32;
        sinh = math::sinh32::<I>;
        cosh = |x| math::cosh::<I>(f64::from(x)) as f32;
        tanh = math::tanh::<I, f32>;
        asinh = math::asinh32::<I>;
        acosh = math::acosh32::<I>;
        atanh = math::atanh32::<I>;
        erf = math::erf32::<I>;
        erfc = math::erfc32::<I>;
        lgamma = |x| libm::lgamma(f64::from(x)) as f32;
        digamma = |x| gamma::digamma(f64::from(x)) as f32;
        trigamma = |x| gamma::trigamma(f64::from(x)) as f32;
    }
    pow = math::pow::<I>;
    atan2 = |y, x| math::atan2::<I>(f64::from(y), f64::from(x)) as f32;
    random = philox::uniform_f32;
}

lane! {
    f64 {
        exp = math::exp::<I, f64>;
        exp2 = math::exp2::<I, f64>;
        expm1 = math::expm1::<I, f64>;
        ln = math::ln::<I, f64>;
        log2 = math::log2::<I, f64>;
        log1p = math::log1p::<I, f64>;
        sin = libm::sin;
        cos = libm::cos;
        tan = libm::tan;
        asin = math::asin::<I>;
        acos = math::acos::<I>;
        atan = math::atan::<I>;
        sinh = math::sinh64::<I>;
        cosh = math::cosh::<I>;
        tanh = math::tanh::<I, f64>;
        asinh = math::asinh64::<I>;
        acosh = math::acosh64::<I>;
        atanh = math::atanh64::<I>;
        erf = math::erf64::<I>;
        erfc = math::erfc64::<I>;
        lgamma = libm::lgamma;
        digamma = gamma::digamma;
        trigamma = gamma::trigamma;
    }
    pow = libm::pow;
    atan2 = math::atan2::<I>;
    random = philox::uniform;
}
