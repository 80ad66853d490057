//! Faults of elementwise kernels: arithmetic, tails, broadcasting, special values, dtypes, several results.

use crate::by_hand::{
    Args, Results, array, binary, binary_ints, floats, like_first, pairs, rounded, scalar, stored, tensors,
    unary,
};
use crate::family::{Family, kernels};
use ndarray::ArrayD;
use std::sync::Mutex;
use tensor_op::{DType, Result};

pub(crate) fn families() -> Vec<Family> {
    vec![
        blend(),
        difference(),
        relu(),
        reciprocal(),
        magnitude(),
        negative(),
        doubled(),
        nearest(),
        kept(),
        negated(),
        int_sum(),
        quotient(),
        remainder(),
        both(),
        threshold(),
        scaled(),
    ]
}

fn blend() -> Family {
    kernels!(
        [(x: Tensor, y: Tensor, #[default(0.5)] w: f64) -> Tensor { w * x - y }],
        right => |args| blended(args, |w, x, y| w * x - y),
        "wrong sign" => |args| blended(args, |w, x, y| w * x + y),
        "the default of a scalar instead of its value" => |args| blended(args, |_, x, y| 0.5 * x - y),
        "f64 computed in f32" => |args| blended(args, |w, x, y| rounded(w * x - y, DType::F32)),
        "halves computed in halves" => |args| {
            let dtype = tensors(args)[0].dtype();
            blended(args, |w, x, y| rounded(w * x, dtype) - y)
        },
        "bf16 cut off instead of rounded" => |args| {
            let cut = tensors(args)[0].dtype() == DType::BF16;
            let mask = if cut { 0xffff_0000 } else { u32::MAX };
            blended(args, |w, x, y| if cut { f64::from(f32::from_bits(((w * x - y) as f32).to_bits() & mask)) } else { w * x - y })
        },
        "the last element is left out unless 8 divides the length" => |args| unfinished(args, |len| if len % 8 == 0 { len } else { len - 1 }),
        "what remains after blocks of 1024 is left out" => |args| unfinished(args, |len| if len > 1024 { len / 1024 * 1024 } else { len }),
        "elements beyond 4096 are left out" => |args| unfinished(args, |len| len.min(4096)),
        "on two threads the second half is left out" => |args| unfinished(args, |len| {
            // This depends on the thread pool in which the call is made, and not on the machine.
            let is_shared = rayon::current_thread_index().is_some() && rayon::current_num_threads() == 2;
            if is_shared { len / 2 } else { len }
        }),
        "broadcasting by position modulo the length" => |args| {
            let x = floats(args)?;
            let result = pairs(&x[0], &x[1], |x, _| x)?;
            let y: Vec<f64> = x[1].iter().copied().collect();
            let mut at = 0..;
            like_first(args, result.mapv_into(|x| scalar(args, 2) * x - at.next().map_or(0.0, |at: usize| y[at % y.len()])))
        },
    )
}

fn blended(args: Args<'_>, f: impl Fn(f64, f64, f64) -> f64) -> Results {
    let w = scalar(args, 2);
    binary(args, |x, y| f(w, x, y))
}

/// A correct kernel of `blend`, except that it stops at `end` of the number of elements.
fn unfinished(args: Args<'_>, end: impl Fn(usize) -> usize) -> Results {
    let (x, w) = (floats(args)?, scalar(args, 2));
    let mut result = pairs(&x[0], &x[1], |x, y| w * x - y)?;
    let end = end(result.len());
    result.iter_mut().skip(end).for_each(|x| *x = 0.0);
    like_first(args, result)
}

fn difference() -> Family {
    kernels!(
        [(x: Tensor, y: Tensor) -> Tensor { x - y }],
        right => |args| binary(args, |x, y| x - y),
        "the first argument is not broadcast" => |args| broadcast(args, |x, _, all| x < all),
        "the second argument is not broadcast" => |args| broadcast(args, |_, y, all| y < all),
        "arguments that are both broadcast, along other axes, are not" => |args| broadcast(args, |x, y, all| x < all && y < all),
    )
}

/// A correct kernel of `difference`, except for some numbers of elements, of the two arguments and of the
/// result.
fn broadcast(args: Args<'_>, is_wrong: fn(usize, usize, usize) -> bool) -> Results {
    let x = floats(args)?;
    let result = pairs(&x[0], &x[1], |x, y| x - y)?;
    let is_wrong = is_wrong(x[0].len(), x[1].len(), result.len());
    like_first(args, result.mapv_into(|x| if is_wrong { 0.0 } else { x }))
}

/// The two branches have no value in common, so the result shows which one was taken.
fn threshold() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { select(x > 37.5, -x, x) }],
        right => |args| unary(args, |x| if x > 37.5 { -x } else { x }),
        "the threshold itself is on the other side" => |args| unary(args, |x| if x >= 37.5 { -x } else { x }),
        "a threshold in the dtype's next number" => |args| unary(args, |x| if x > 37.500_000_5 { -x } else { x }),
        "what is beyond a threshold far away is not there" => |args| unary(args, |x| x),
    )
}

fn scaled() -> Family {
    kernels!(
        [(x: Tensor, w: f64, k: i64) -> Tensor { x * w + cast(k, float) }],
        right => |args| sized(args, |x, w, k| x * w + k),
        "a scalar of 0 is taken for none" => |args| sized(args, |x, w, k| x * if w == 0.0 { 1.0 } else { w } + k),
        "the sign of a scalar is lost" => |args| sized(args, |x, w, k| x * w.abs() + k),
        "a large scalar is cut" => |args| sized(args, |x, w, k| x * w.min(100.0) + k),
        "a negative int scalar is taken for 0" => |args| sized(args, |x, w, k| x * w + k.max(0.0)),
        "an int scalar is kept in a byte" => |args| sized(args, |x, w, k| x * w + k % 256.0),
    )
}

/// Applies a function to each element and the two scalars.
fn sized(args: Args<'_>, f: impl Fn(f64, f64, f64) -> f64) -> Results {
    let (w, k) = (scalar(args, 1), scalar(args, 2));
    unary(args, |x| f(x, w, k))
}

fn relu() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { relu(x) }],
        right => |args| unary(args, |x| if x <= 0.0 { 0.0 } else { x }),
        "NaN becomes 0" => |args| unary(args, |x| x.max(0.0)),
        "infinity is cut to the largest number" => |args| unary(args, |x| if x <= 0.0 { 0.0 } else { x.min(f64::MAX) }),
    )
}

fn reciprocal() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { recip(x) }],
        right => |args| unary(args, f64::recip),
        "the sign of zero is lost" => |args| unary(args, |x| (x + 0.0).recip()),
        "division by zero is kept from infinity by an epsilon" => |args| unary(args, |x| if x == 0.0 { 1e12 } else { x.recip() }),
    )
}

fn magnitude() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { abs(x) }],
        right => |args| unary(args, f64::abs),
        "the absolute value of a negative zero is negative" => |args| unary(args, |x| if x < 0.0 { -x } else { x }),
    )
}

fn negative() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { -x }],
        right => |args| unary(args, |x| -x),
        "negation as a difference from zero: zero keeps its sign" => |args| unary(args, |x| 0.0 - x),
    )
}

fn doubled() -> Family {
    kernels!(
        [(x: Tensor) -> Tensor { x + x }],
        right => |args| unary(args, |x| x + x),
        "subnormal numbers are flushed to zero" => |args| {
            let least = match tensors(args)[0].dtype() {
                DType::F64 => f64::MIN_POSITIVE,
                _ => f64::from(f32::MIN_POSITIVE),
            };
            unary(args, |x| if x.abs() < least { 0.0 } else { x + x })
        },
        "a single element is taken for a scalar and left as it is" => |args| {
            let x = floats(args)?.swap_remove(0);
            let len = x.len();
            like_first(args, x.mapv_into(|x| if len == 1 { x } else { x + x }))
        },
    )
}

fn nearest() -> Family {
    kernels!(
        [(#[no_grad] x: Tensor) -> Tensor { round(x) }],
        right => |args| unary(args, f64::round_ties_even),
        "halves are rounded away from zero" => |args| unary(args, f64::round),
        "rounded by way of an int" => |args| unary(args, |x| x.round_ties_even() as i64 as f64),
    )
}

fn kept() -> Family {
    kernels!(
        [(x: Tensor, keep: BoolTensor) -> Tensor { select(keep, x, 0.0) }],
        right => |args| binary(args, |x, keep| if keep == 0.0 { 0.0 } else { x }),
        "a mask is multiplied with" => |args| binary(args, |x, keep| keep * x),
    )
}

fn negated() -> Family {
    kernels!(
        [(x: Tensor, drop: BoolTensor) -> Tensor { select(!drop, x, 2.0 * x) }],
        right => |args| binary(args, |x, drop| if drop == 0.0 { x } else { 2.0 * x }),
        "the sides of a choice are not swapped with its condition" => |args| {
            binary(args, |x, drop| if drop != 0.0 { x } else { 2.0 * x })
        },
    )
}

fn int_sum() -> Family {
    kernels!(
        [(x: IntTensor, y: IntTensor) -> IntTensor { x + y }],
        right => |args| binary_ints(args, i64::wrapping_add),
        "int overflow saturates" => |args| binary_ints(args, i64::saturating_add),
        "overflow of i32 saturates" => |args| saturated(args, DType::I32, i64::from(i32::MIN), i64::from(i32::MAX)),
        "overflow of u8 saturates" => |args| saturated(args, DType::U8, 0, 255),
        "ints computed in floats" => |args| binary_ints(args, |x, y| (x as f64 + y as f64) as i64),
    )
}

/// The sum, which is clamped to the range of one dtype.
fn saturated(args: Args<'_>, dtype: DType, low: i64, high: i64) -> Results {
    let is_cut = tensors(args)[0].dtype() == dtype;
    binary_ints(args, |x, y| if is_cut { (x + y).clamp(low, high) } else { x.wrapping_add(y) })
}

fn quotient() -> Family {
    kernels!(
        [(x: IntTensor, y: IntTensor) -> IntTensor { x / y }],
        right => |args| binary_ints(args, divided),
        "the quotient of ints is not truncated" => |args| binary_ints(args, |x, y| if y == 0 { 0 } else { x.wrapping_div_euclid(y) }),
        "an int over 0 is the largest int" => |args| binary_ints(args, |x, y| if y == 0 { i64::MAX } else { divided(x, y) }),
    )
}

fn divided(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_div(y) }
}

fn remainder() -> Family {
    kernels!(
        [(x: Tensor, y: Tensor) -> Tensor { x % y }],
        right => |args| binary(args, |x, y| x % y),
        "the remainder has the sign of the divisor" => |args| binary(args, |x, y| x - y * (x / y).floor()),
    )
}

fn both() -> Family {
    kernels!(
        [(x: Tensor, y: Tensor) -> (Tensor, Tensor) { (x * y, x - y) }],
        right => |args| two(args, |x, y| [x * y, x - y]),
        "results change places" => |args| two(args, |x, y| [x - y, x * y]),
        "the second result is what its memory held before" => |args| {
            static BEFORE: Mutex<Vec<f64>> = Mutex::new(vec![]);
            let [product, difference] = computed(args, |x, y| [x * y, x - y])?;
            let mut memory = BEFORE.lock().unwrap_or_else(|held| held.into_inner());
            let before = std::mem::replace(&mut *memory, difference.iter().copied().collect());
            let mut before = before.into_iter();
            let difference = difference.mapv_into(|_| before.next().unwrap_or(0.0));
            results(args, [product, difference])
        },
        "a result is kept from an earlier call of the same sizes" => |args| {
            static KEPT: Mutex<Vec<[ArrayD<f64>; 2]>> = Mutex::new(vec![]);
            let found = computed(args, |x, y| [x * y, x - y])?;
            let mut kept = KEPT.lock().unwrap_or_else(|held| held.into_inner());
            match kept.iter().find(|kept| kept[0].shape() == found[0].shape()) {
                Some(kept) => results(args, kept.clone()),
                None => {
                    kept.push(found.clone());
                    results(args, found)
                }
            }
        },
    )
}

fn two(args: Args<'_>, f: impl Fn(f64, f64) -> [f64; 2]) -> Results {
    results(args, computed(args, f)?)
}

fn computed(args: Args<'_>, f: impl Fn(f64, f64) -> [f64; 2]) -> Result<[ArrayD<f64>; 2]> {
    let [x, y] = [array(tensors(args)[0])?, array(tensors(args)[1])?];
    Ok([pairs(&x, &y, |x, y| f(x, y)[0])?, pairs(&x, &y, |x, y| f(x, y)[1])?])
}

fn results(args: Args<'_>, arrays: [ArrayD<f64>; 2]) -> Results {
    let dtype = tensors(args)[0].dtype();
    arrays.into_iter().map(|array| stored(array, dtype)).collect()
}
