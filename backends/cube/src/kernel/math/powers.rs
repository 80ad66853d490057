//! Powers of any base, and remainders.

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
    let power = Vector::powf(size, p);
    let negative = x.less_than(&zero);
    let exists = (!negative).or(whole).or(infinite);
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
        let rest = fma(-Vector::floor(size / by), by, size);
        let rest = select_many(rest.less_than(&all::<A, N>(0.0)), rest + by, rest);
        let rest = select_many(rest.greater_equal(&by), rest - by, rest);
        let finite = !(Vector::is_inf(a).or(Vector::is_nan(a)));
        let rest = select_many(Vector::is_inf(b).vec_and(finite), size, rest);
        select_many(a.less_than(&all::<A, N>(0.0)), -rest, rest)
    }
}
