//! Powers of any base, and remainders.

use super::angles::is_negative;
use super::{all, is_double};
use cubecl::prelude::*;

/// `x^0` and `1^p` are 1, whatever the other is; of a negative base only whole powers exist.
#[cube]
pub(super) fn pow<A: Float, N: Size>(x: Vector<A, N>, p: Vector<A, N>) -> Vector<A, N> {
    let (zero, one, two) = (all::<A, N>(0.0), all::<A, N>(1.0), all::<A, N>(2.0));
    let size = Vector::abs(x);
    let whole = Vector::floor(p).equal(&p);
    let odd = whole.vec_and(!(two * Vector::floor(p / two)).equal(&p));
    let infinite = Vector::is_inf(p).or(Vector::is_inf(x));
    let of_zero = select_many(p.less_than(&zero), all::<A, N>(f64::INFINITY), zero);
    let power = select_many(size.equal(&zero), of_zero, Vector::powf(size, p));
    let negative = is_negative::<A, N>(x);
    let exists = (!negative).or(whole).or(infinite).or(size.equal(&zero));
    let signed = select_many(negative.vec_and(odd), -power, power);
    let value = select_many(exists, signed, all::<A, N>(f64::NAN));
    let value = select_many(Vector::is_nan(x).or(Vector::is_nan(p)), x + p, value);
    let of_one = x.equal(&one).or(size.equal(&one).vec_and(Vector::is_inf(p)));
    select_many(of_one.or(p.equal(&zero)), one, value)
}

/// The sign of the dividend. A large quotient has more digits than a float: multiples of the divisor that are sure to be in the dividend
/// are taken away until the quotient fits, each time exactly.
#[cube]
pub(super) fn rem<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    // Digits of a quotient that a product keeps, less some.
    let double = is_double::<A>();
    let digits = comptime!(if double { 50 } else { 21 });
    let fits = comptime!(2_f64.powi(digits));
    let few = all::<A, N>(comptime!(1.0 - 2_f64.powi(-digits)));
    let (size, by) = (Vector::abs(a), Vector::abs(b));
    let left = RuntimeCell::<Vector<A, N>>::new(size);
    // Enough for all quotients of f32; f64 has larger ones, of which nothing is told below.
    for _ in 0..12 {
        let quotient = left.read() / by;
        let less = fma(-Vector::floor(quotient * few), by, left.read());
        let is_large = quotient.greater_than(&all::<A, N>(fits)).vec_and(!Vector::is_inf(quotient));
        left.store(select_many(is_large, less, left.read()));
    }
    let quotient = left.read() / by;
    // The quotient may be rounded up to a whole number: one divisor is given back.
    let rest = fma(-Vector::floor(quotient), by, left.read());
    let finite = !(Vector::is_inf(a).or(Vector::is_nan(a)));
    let divides = by.greater_than(&all::<A, N>(0.0)).vec_and(finite);
    let beyond = quotient.greater_than(&all::<A, N>(comptime!(4.0 * fits))).vec_and(divides);
    let rest = select_many(beyond, all::<A, N>(0.0), rest);
    let rest = select_many(rest.less_than(&all::<A, N>(0.0)), rest + by, rest);
    let rest = select_many(rest.greater_equal(&by), rest - by, rest);
    let rest = select_many(Vector::is_inf(b).vec_and(finite), size, rest);
    select_many(is_negative::<A, N>(a), -rest, rest)
}
