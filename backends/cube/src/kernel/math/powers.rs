//! Powers of any base.

use super::parts::{all, is_negative};
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
