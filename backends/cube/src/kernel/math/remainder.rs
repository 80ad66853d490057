//! The remainder of a division, which is a number of the same type: no digit of it may be lost, though the
//! quotient has more than a float.

use super::parts::{all, any, is_double, is_negative};
use cubecl::prelude::*;

/// Long division in base 2: of the divisor times a power of two, from the largest in the dividend down to the
/// divisor, each is taken away where it fits. A multiple is at most the dividend and more than its half, so
/// that each difference is exact (Sterbenz, Floating-Point Computation, 1974). The sign is the dividend's.
#[cube]
pub(super) fn rem<A: Float, N: Size>(a: Vector<A, N>, b: Vector<A, N>) -> Vector<A, N> {
    let is_divisor = Vector::abs(b).greater_than(&all::<A, N>(0.0)).vec_and(!Vector::is_nan(b));
    let exists = is_divisor.vec_and(!Vector::is_inf(a).or(Vector::is_nan(a)));
    let by = select_many(exists, Vector::abs(b), all::<A, N>(1.0));
    let left = RuntimeCell::<Vector<A, N>>::new(select_many(exists, Vector::abs(a), all::<A, N>(0.0)));
    let multiple = RuntimeCell::<Vector<A, N>>::new(by);
    let doublings = double::<A, N>(left.read(), &multiple);
    for _ in 0..doublings + 1u32 {
        let (rest, taken) = (left.read(), multiple.read());
        left.store(select_many(rest.less_than(&taken), rest, rest - taken));
        multiple.store(select_many(taken.greater_than(&by), taken * all::<A, N>(0.5), taken));
    }
    let rest = select_many(is_negative::<A, N>(a), -left.read(), left.read());
    select_many(exists, rest, all::<A, N>(f64::NAN))
}

/// Doubles each lane while it is at most half of what is left; gives how often one was.
#[cube]
fn double<A: Float, N: Size>(left: Vector<A, N>, multiple: &RuntimeCell<Vector<A, N>>) -> u32 {
    let half = left * all::<A, N>(0.5);
    // From the least number to the largest; a device that takes the least for zero would double it for ever.
    let is_double = is_double::<A>();
    let most = comptime!(if is_double { 2100u32 } else { 300u32 });
    let doublings = RuntimeCell::<u32>::new(0u32);
    let is_done = RuntimeCell::<bool>::new(false);
    while !is_done.read() {
        let fits = multiple.read().less_equal(&half);
        if any::<N>(fits) && doublings.read() < most {
            multiple.store(select_many(fits, multiple.read() + multiple.read(), multiple.read()));
            doublings.store(doublings.read() + 1u32);
        } else {
            is_done.store(true);
        }
    }
    doublings.read()
}
