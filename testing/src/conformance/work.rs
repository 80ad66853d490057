//! Checks what a backend knows of its tensors, how it runs an op of which some results are wanted, and that
//! tensors outlive waiting and cleaning.

use super::values::{elements, same};
use super::{Function, Suite, graphs};
use crate::place::{Layout, place, place_all};
use tensor_op_core::{
    Backend, DType, Dtypes, DynTensor, Dynamic, GraphOp, Op, Result, Shape, TensorData, Value, interpret,
};

/// Runs the cases of one dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    described(suite, dtype);
    chosen(suite, dtype);
    waited(suite, dtype);
    cleaned(suite, dtype);
}

/// Shape and dtype of tensors in every layout.
fn described(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    for sizes in [&[][..], &[0, 3], &[2, 3, 4]] {
        for layout in Layout::of(&device) {
            let (shape, case) = (Shape::new(sizes), format!("{} {layout:?}", Shape::new(sizes)));
            let made = || place(elements(dtype, &shape, 1)?, &device, layout);
            suite.check(Function::Shape, dtype, case.clone(), || Ok(equal(Dynamic::shape(&made()?), &shape)));
            suite.check(Function::Dtype, dtype, case, || Ok(equal(Dynamic::dtype(&made()?), &dtype)));
        }
    }
}

fn equal<T: PartialEq + std::fmt::Display>(found: T, expected: &T) -> std::result::Result<(), String> {
    if found == *expected { Ok(()) } else { Err(format!("is {found}, not {expected}")) }
}

/// An op of two results: each of them alone, both, and none.
fn chosen(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    let op = GraphOp::new(graphs::two_results(dtype.kind()));
    for wanted in [[true, true], [true, false], [false, true], [false, false]] {
        suite.check(Function::Run, dtype, format!("results that are wanted: {wanted:?}"), || {
            let args = [1, 50].map(|seed| elements(dtype, &Shape::new(&[3, 5]), seed).map(Value::Tensor));
            let args = args.into_iter().collect::<Result<Vec<_>>>()?;
            let graph = op.spec().graph();
            let dtypes = Dtypes::from_args(graph, &args, TensorData::dtype)?;
            let all = interpret(graph, &args)?.into_iter().enumerate();
            let all = all.map(|(at, result)| wanted[at].then(|| result.cast(dtypes.of_result(graph, at))));
            let expected: Vec<_> = all.collect();
            let placed = place_all(&args, &device, Layout::Contiguous)?;
            Ok(same_results(&read(Dynamic::run(&op, placed, &wanted)?)?, &expected))
        });
    }
}

fn read(results: Vec<Option<DynTensor>>) -> Result<Vec<Option<TensorData>>> {
    results.into_iter().map(|result| result.map(Dynamic::into_data).transpose()).collect()
}

fn same_results(
    found: &[Option<TensorData>],
    expected: &[Option<TensorData>],
) -> std::result::Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("there are {} results, not {}", found.len(), expected.len()));
    }
    found.iter().zip(expected).enumerate().try_for_each(|(at, results)| match results {
        (Some(found), Some(expected)) => same(found, expected),
        (None, None) => Ok(()),
        (Some(_), None) => Err(format!("result {at} is there, and nobody wants it")),
        (None, Some(_)) => Err(format!("result {at} is missing")),
    })
}

/// Work that was started, waited for, and then read.
fn waited(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    suite.check(Function::Sync, dtype, "of what was started", || {
        let data = elements(dtype, &Shape::new(&[40, 50]), 1)?;
        let turned = Dynamic::permute(place(data.clone(), &device, Layout::Contiguous)?, &[1, 0])?;
        let back = Dynamic::permute(Dynamic::reshape(turned, Shape::new(&[50, 40]))?, &[1, 0])?;
        Dynamic::sync(&device)?;
        Ok(same(&Dynamic::into_data(back)?, &data))
    });
}

/// Tensors from before keep their elements, and those that come after have theirs.
fn cleaned(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    suite.check(Function::MemoryCleanup, dtype, "between two tensors", || {
        let [first, second] = [1, 50].map(|seed| elements(dtype, &Shape::new(&[40, 50]), seed));
        let (first, second) = (first?, second?);
        drop(place(second.clone(), &device, Layout::Transposed)?);
        let before = place(first.clone(), &device, Layout::Contiguous)?;
        Dynamic::memory_cleanup(&device);
        let after = place(second.clone(), &device, Layout::Contiguous)?;
        let (before, after) = (Dynamic::into_data(before)?, Dynamic::into_data(after)?);
        Ok(same(&before, &first).and_then(|()| same(&after, &second)))
    });
}
