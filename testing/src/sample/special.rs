//! Ordinary arguments with special values in them, which random numbers would miss.

use super::is_float;
use super::literals::Literals;
use super::preimage::Interval;
use super::scalars::{candidates, names_a_size};
use super::values::index_ranges;
use crate::bound::Format;
use crate::random::Random;
use tensor_op_core::{DType, Result, TensorData, Value};
use tensor_op_spec::ir::{Graph, Op};

/// Exponentials of this number overflow or vanish in every dtype, but its sums and products are far from
/// that.
const FAR: f64 = 1024.0;

/// Arguments of an op, floats in f64 and ints in i64.
type Args = Vec<Value<TensorData>>;

/// With more elements than this, a special value is also put among the last ones.
const VECTORS: usize = 64;

/// The values that are not finite.
pub(crate) const INFINITE: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// For each float argument and each value of `special`: the arguments with one element replaced by that
/// value. If there are many elements, one of the last three is replaced too, which are in no whole vector.
pub(crate) fn one_special(args: &[Value<TensorData>], special: &[f64], seed: u64) -> Vec<Args> {
    let mut random = Random::new(&[seed]);
    let mut cases = vec![];
    for arg in 0..args.len() {
        for special in special {
            let mut args = args.to_vec();
            if let Value::Tensor(data) = &mut args[arg]
                && let Ok(values) = data.as_mut_slice::<f64>()
                && !values.is_empty()
            {
                let len = values.len();
                values[random.below(len as u64) as usize] = *special;
                if len > VECTORS {
                    values[len - 1 - random.below(3) as usize] = *special;
                }
                cases.push(args);
            }
        }
    }
    cases
}

/// For each int argument, the arguments with one special element. If the argument indexes a dim, the element
/// is out of range. Otherwise it overflows in the dtype, or divides by zero or by -1. At the end all elements
/// of these arguments are special at once.
pub(crate) fn one_extreme_int(
    graph: &Graph,
    args: &[Value<TensorData>],
    dtype: DType,
    seed: u64,
) -> Result<Vec<Args>> {
    let mut random = Random::new(&[seed, 1]);
    let ranges = index_ranges(graph, args)?;
    let mut cases = vec![];
    for arg in 0..args.len() {
        let extremes = match ranges[arg] {
            Some(range) => vec![(range.low as i64).saturating_sub(1), (range.high as i64).saturating_add(1)],
            None => extremes(dtype).to_vec(),
        };
        for extreme in extremes {
            let mut args = args.to_vec();
            if let Value::Tensor(data) = &mut args[arg]
                && let Ok(values) = data.as_mut_slice::<i64>()
                && !values.is_empty()
            {
                values[random.below(values.len() as u64) as usize] = extreme;
                cases.push(args);
            }
        }
    }
    // An int may overflow together with one number, but not with another.
    cases.extend(extremes(dtype).map(|extreme| all_extreme(args, &ranges, extreme)));
    Ok(cases)
}

/// The arguments with every int that is not an index replaced by this one.
fn all_extreme(args: &[Value<TensorData>], ranges: &[Option<Interval>], extreme: i64) -> Args {
    let mut args = args.to_vec();
    for (arg, _) in args.iter_mut().zip(ranges).filter(|(_, range)| range.is_none()) {
        if let Value::Tensor(data) = arg
            && let Ok(values) = data.as_mut_slice::<i64>()
        {
            values.fill(extreme);
        }
    }
    args
}

/// The smallest and the largest number of an int dtype, and numbers next to zero.
fn extremes(dtype: DType) -> [i64; 4] {
    match dtype {
        DType::U32 => [0, u32::MAX.into(), 1, 2],
        DType::U8 => [0, u8::MAX.into(), 1, 2],
        DType::I32 => [i32::MIN.into(), i32::MAX.into(), 0, -1],
        DType::I64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => {
            [i64::MIN, i64::MAX, 0, -1]
        }
    }
}

/// The arguments with each value of each scalar. Scalars that are sizes or axes are left out.
pub(crate) fn each_scalar(graph: &Graph, args: &[Value<TensorData>]) -> Vec<Args> {
    let mut cases = vec![];
    for arg in (0..args.len()).filter(|arg| !names_a_size(graph, *arg)) {
        for value in candidates(graph, arg) {
            let mut args = args.to_vec();
            args[arg] = Value::Scalar(value);
            cases.push(args);
        }
    }
    cases
}

/// The arguments with a function applied to each float.
pub(crate) fn each_float(args: &[Value<TensorData>], f: impl Fn(f64) -> f64) -> Args {
    let changed = |mut data: TensorData| {
        if is_float(&data)
            && let Ok(values) = data.as_mut_slice::<f64>()
        {
            values.iter_mut().for_each(|x| *x = f(*x));
        }
        data
    };
    args.iter().cloned().map(|arg| arg.map(changed)).collect()
}

/// Floats that are close to each other and far from zero, so that differences cancel.
pub(crate) fn close_together(args: &[Value<TensorData>]) -> Args {
    each_float(args, |x| x + FAR)
}

/// The arguments with floats that are large or small in a dtype. They overflow or vanish if a formula does
/// not scale them. All arguments are scaled alike, each argument alone, and each against the others. In
/// another case all floats are three quarters of the largest number, so that a sum of two overflows.
pub(crate) fn far_from_one(args: &[Value<TensorData>], dtype: DType) -> Vec<Args> {
    let format = Format::of(dtype);
    // Two thirds of the largest exponent: a product of two such numbers is out of range, and so is a square.
    let large = (format.max.log2() * 2.0 / 3.0).floor().exp2();
    let floats: Vec<usize> =
        (0..args.len()).filter(|arg| args[*arg].tensor().is_some_and(is_float)).collect();
    let scaled = |scale: &dyn Fn(usize) -> f64| -> Args {
        let by = |(index, arg): (usize, &Value<TensorData>)| {
            each_float(std::slice::from_ref(arg), |x| x * scale(index)).remove(0)
        };
        args.iter().enumerate().map(by).collect()
    };
    let mut cases = vec![each_float(args, |_| 0.75 * format.max)];
    for scale in [large, 1.0 / large] {
        cases.push(scaled(&|_| scale));
        if floats.len() > 1 {
            for arg in &floats {
                cases.push(scaled(&|index| if index == *arg { scale } else { 1.0 }));
                cases.push(scaled(&|index| if index == *arg { scale } else { 1.0 / scale }));
            }
        }
    }
    cases
}

/// The points at which a primitive of the graph has a kink or is singular, zeros of either sign, and numbers
/// far from zero.
pub(crate) fn points(graph: &Graph) -> Vec<f64> {
    let mut points = vec![0.0, -0.0, FAR, -FAR];
    for node in &graph.nodes {
        if let Op::Apply(prim, _) = &node.op {
            points.extend(prim.row().special);
        }
    }
    distinct(points)
}

/// The first literals of a formula, with their neighbours in a dtype.
pub(crate) fn around_literals(graph: &Graph, dtype: DType) -> Vec<f64> {
    const MOST: usize = 4;
    let format = Format::of(dtype);
    let near = |x: f64| [x, x - format.ulp(x), x + format.ulp(x)];
    Literals::of(graph, &[]).floats().iter().take(MOST).flat_map(|x| near(*x)).collect()
}

/// The special values of a dtype: not finite, largest, smallest.
pub(crate) fn limits(dtype: DType) -> Vec<f64> {
    let format = Format::of(dtype);
    let least = format.ulp(0.0);
    INFINITE.into_iter().chain([least, -least, format.min_positive(), format.max, -format.max]).collect()
}

fn distinct(values: Vec<f64>) -> Vec<f64> {
    let mut distinct: Vec<f64> = vec![];
    for value in values {
        if !distinct.iter().any(|other| other.to_bits() == value.to_bits()) {
            distinct.push(value);
        }
    }
    distinct
}
