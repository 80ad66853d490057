//! Faults about memory: where elements are, who holds them, and when: strides, shared inputs, threads.
//!
//! A kernel that ignores strides stays inside the span of a view, from its first element to its last, which
//! is in one initialised buffer. A kernel that writes where it must not write does so only between guard
//! words. A kernel that gets an offset already applied can't ignore it.

use crate::by_hand::{Args, Results, array, binary, floats, like_first, tensors, unary};
use crate::family::{Family, kernels};
use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use tensor_op::cpu::NdArrayTensor;
use tensor_op::testing::guards;
use tensor_op::{DType, Result};

pub(crate) fn families() -> Vec<Family> {
    vec![doubled(), difference(), overwritten(), remembered(), total()]
}

fn doubled() -> Family {
    kernels!(
        [(x: Tensor![..]) -> Tensor { x + x }],
        right => |args| twice(args, |view| view.to_owned()),
        "strides are ignored: elements in the order of memory" => |args| twice(args, |view| in_order(&view, span(&view))),
        "a transposed tensor is read as if it were row-major" => |args| twice(args, |view| match view.as_slice_memory_order() {
            Some(elements) => in_order(&view, elements),
            None => view.to_owned(),
        }),
        "negative strides are taken for positive ones" => |args| twice(args, |mut view| {
            let backwards: Vec<usize> = (0..view.ndim()).filter(|axis| view.strides()[*axis] < 0).collect();
            backwards.into_iter().for_each(|axis| view.invert_axis(Axis(axis)));
            view.to_owned()
        }),
        "along stride 0 the first element alone is computed" => |args| twice(args, |view| {
            let mut result = view.to_owned();
            for axis in (0..view.ndim()).filter(|axis| view.strides()[*axis] == 0 && view.shape()[*axis] > 1) {
                result.slice_axis_mut(Axis(axis), (1..).into()).fill(0.0);
            }
            result
        }),
        "the step of a slice is ignored" => |args| twice(args, |view| {
            if view.ndim() == 1 || view.strides().iter().all(|stride| stride.abs() != 2) {
                return view.to_owned();
            }
            in_order(&view, span(&view))
        }),
        "of a view of more than 64 elements what remains after blocks of 64 is left out" => |args| twice(args, |view| {
            let mut result = view.to_owned();
            if !view.is_standard_layout() && view.len() > 64 {
                result.iter_mut().skip(view.len() / 64 * 64).for_each(|x| *x = 0.0);
            }
            result
        }),
    )
}

/// Doubles the elements of the only argument. If it is f64, `read` reads the elements; other dtypes are read
/// correctly.
fn twice(args: Args<'_>, read: fn(ArrayViewD<'_, f64>) -> ArrayD<f64>) -> Results {
    let x = tensors(args)[0];
    let elements = if x.dtype() == DType::F64 { read(x.view::<f64>()?) } else { array(x)? };
    like_first(args, elements.mapv_into(|x| x + x))
}

/// The elements in the order of memory, as if they were row-major. Missing elements are 0.
fn in_order(like: &ArrayViewD<'_, f64>, elements: &[f64]) -> ArrayD<f64> {
    let mut elements = elements.iter();
    ArrayD::from_shape_simple_fn(like.raw_dim(), || elements.next().copied().unwrap_or(0.0))
}

/// All elements in memory from the lowest element of a view to the highest.
fn span<'v>(view: &ArrayViewD<'v, f64>) -> &'v [f64] {
    let Some((low, len)) = reach(view) else { return &[] };
    // SAFETY: the view's elements are in one buffer, a `Vec` all of whose elements are initialised, which the
    // view borrows for `'v`; `low` is the first of these elements in memory and `len` counts up to the last.
    unsafe { std::slice::from_raw_parts(low, len) }
}

/// The lowest element of a view, and the distance to the highest. `None` if there are no elements.
fn reach<T>(view: &ArrayViewD<'_, T>) -> Option<(*const T, usize)> {
    if view.is_empty() {
        return None;
    }
    let ends = view.shape().iter().zip(view.strides()).map(|(size, stride)| (*size as isize - 1) * stride);
    let (below, above) = ends.fold((0, 0), |(below, above), end| (below + end.min(0), above + end.max(0)));
    Some((view.as_ptr().wrapping_offset(below), (above - below) as usize + 1))
}

fn difference() -> Family {
    kernels!(
        [(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n] { x - y }],
        right => |args| binary(args, |x, y| x - y),
        "the second argument is read in the order of the first" => |args| {
            let [x, y] = [tensors(args)[0], tensors(args)[1]];
            let as_first = match x.dtype() {
                DType::F64 => reordered(x.view()?, y.view()?),
                _ => array(y)?,
            };
            like_first(args, array::<f64>(x)? - as_first)
        },
    )
}

/// If the other array has another memory order, the elements are read in the wrong order.
fn reordered(like: ArrayViewD<'_, f64>, view: ArrayViewD<'_, f64>) -> ArrayD<f64> {
    if like.is_standard_layout() == view.is_standard_layout() {
        return view.to_owned();
    }
    let turned = view.reversed_axes().as_standard_layout().into_owned();
    turned.into_shape_with_order(like.raw_dim()).expect("as many elements")
}

fn overwritten() -> Family {
    kernels!(
        [(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n] { x * y }],
        right => |args| binary(args, |x, y| x * y),
        "computed in place, in an input that others hold" => |args| {
            let result = binary(args, |x, y| x * y)?;
            let x = tensors(args)[0];
            for (at, value) in array::<f32>(&result[0])?.into_iter().enumerate() {
                overwrite(x, at, value);
            }
            Ok(result)
        },
        "one element is written after each row" => |args| {
            let y = tensors(args)[1];
            for place in behind_rows(y)? {
                overwrite(y, place, 0.5);
            }
            binary(args, |x, y| x * y)
        },
        "one element is written behind an input" => |args| {
            let y = tensors(args)[1];
            overwrite(y, y.elements(), 0.5);
            binary(args, |x, y| x * y)
        },
        "one element is written behind the result" => |args| {
            let result = binary(args, |x, y| x * y)?;
            overwrite(&result[0], result[0].elements(), 0.5);
            Ok(result)
        },
        "a vector of the result ends behind it" => |args| {
            let result = binary(args, |x, y| x * y)?;
            let len = result[0].elements();
            (len..len.next_multiple_of(8)).for_each(|at| overwrite(&result[0], at, 0.0));
            Ok(result)
        },
    )
}

/// The address of a tensor's elements, and its shape.
type Place = (usize, Vec<usize>);

fn remembered() -> Family {
    kernels!(
        [(x: Tensor![m, n]) -> Tensor![m, n] { x * x }],
        right => |args| unary(args, |x| x * x),
        "what was computed for the memory of the argument before is returned again" => |args| {
            static KNOWN: Mutex<BTreeMap<Place, ArrayD<f64>>> = Mutex::new(BTreeMap::new());
            let x = tensors(args)[0];
            // Only for this size: at other sizes it is left to chance which memory is used again.
            if x.dtype() != DType::F32 || x.shape()[..] != [5, 5] {
                return unary(args, |x| x * x);
            }
            let place = (x.view::<f32>()?.as_ptr() as usize, x.shape().to_vec());
            let squares = array::<f64>(x)?.mapv_into(|x| x * x);
            let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            like_first(args, known.entry(place).or_insert(squares).clone())
        },
        "each call rounds in another way" => |args| {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            let is_odd = CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            unary(args, |x| if is_odd && tensors(args)[0].dtype() == DType::F64 { (x * x).next_up() } else { x * x })
        },
    )
}

/// The positions after each row of an f32 tensor whose rows are not adjacent.
fn behind_rows(tensor: &NdArrayTensor) -> Result<Vec<usize>> {
    if tensor.dtype() != DType::F32 {
        return Ok(vec![]);
    }
    let view = tensor.view::<f32>()?;
    let (rows, columns) = (view.shape()[0], view.shape()[1]);
    let row = usize::try_from(view.strides()[0]).unwrap_or(0);
    Ok(if row > columns { (0..rows).map(|i| i * row + columns).collect() } else { vec![] })
}

/// Writes to the memory of an f32 tensor, at a position counted from its first element. The position may be
/// between or after its elements if guard words are around it.
fn overwrite(tensor: &NdArrayTensor, at: usize, value: f32) {
    // SAFETY: the kernel runs on one thread, and what it reads of its tensors are copies; nobody else refers
    // to their elements meanwhile.
    unsafe { guards::write(tensor, at as isize, value) };
}

fn total() -> Family {
    kernels!(
        [(x: Tensor![n]) -> Tensor![] { sum(x, n) }],
        right => |args| summed(args, |x| x.iter().fold(0.0, |sum, x| sum + x)),
        "each thread sums a part: bits depend on their number" => |args| summed(args, |x| {
            let part = x.len().div_ceil(rayon::current_num_threads()).max(1);
            x.par_chunks(part).map(|part| part.iter().fold(0.0, |sum, x| sum + x)).collect::<Vec<f32>>().into_iter().fold(0.0, |sum, x| sum + x)
        }),
        "the order of a sum changes from call to call" => |args| {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            match CALLS.fetch_add(1, Ordering::Relaxed) % 2 {
                0 => summed(args, |x| x.iter().fold(0.0, |sum, x| sum + x)),
                _ => summed(args, |x| x.iter().rev().fold(0.0, |sum, x| sum + x)),
            }
        },
        "a data race: threads lose what others add" => |args| summed(args, |x| if x.len() < 10_000 {
            x.iter().fold(0.0, |sum, x| sum + x)
        } else {
            raced(x)
        }),
    )
}

/// The sum of floats by `sum`, in f32. f64 tensors are summed correctly.
fn summed(args: Args<'_>, sum: fn(&[f32]) -> f32) -> Results {
    let x = tensors(args)[0];
    let total = match x.dtype() {
        DType::F64 => floats(args)?[0].sum(),
        _ => f64::from(sum(array::<f32>(x)?.as_slice().unwrap_or(&[]))),
    };
    like_first(args, ArrayD::from_elem(IxDyn(&[]), total))
}

/// A data race: all threads read the sum before any thread writes it, and the first thread writes last.
fn raced(x: &[f32]) -> f32 {
    let threads = rayon::current_num_threads();
    let (sum, barrier) = (AtomicU32::new(0), Barrier::new(threads));
    rayon::broadcast(|thread| {
        let part = x.iter().skip(thread.index()).step_by(threads).sum::<f32>();
        let seen = f32::from_bits(sum.load(Ordering::Relaxed));
        for turn in [true, false] {
            barrier.wait();
            if turn == (thread.index() > 0) {
                sum.store((seen + part).to_bits(), Ordering::Relaxed);
            }
        }
    });
    f32::from_bits(sum.into_inner())
}
