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

/// The sign of the dividend. The quotient may be rounded up to a whole number: one divisor is given back.
#[cube]
pub(super) fn rem<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    if is_double::<A>() {
        a % b
    } else {
        let (size, by) = (Vector::abs(a), Vector::abs(b));
        // A quotient beyond all numbers leaves nothing that could be told.
        let quotient = size / by;
        let rest = fma(-Vector::floor(quotient), by, size);
        let finite = !(Vector::is_inf(a).or(Vector::is_nan(a)));
        let divides = by.greater_than(&all::<A, N>(0.0)).vec_and(finite);
        let beyond = Vector::is_inf(quotient).vec_and(divides);
        let rest = select_many(beyond, all::<A, N>(0.0), rest);
        let rest = select_many(rest.less_than(&all::<A, N>(0.0)), rest + by, rest);
        let rest = select_many(rest.greater_equal(&by), rest - by, rest);
        let rest = select_many(Vector::is_inf(b).vec_and(finite), size, rest);
        select_many(a.less_than(&all::<A, N>(0.0)), -rest, rest)
    }
}
