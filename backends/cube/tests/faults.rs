//! An index out of range is the error of what reads the tensor, or one that is computed from it: each time,
//! on any thread, and of nobody else. Alone in its process, since `sync` tells of the calls of all threads.
#![cfg(feature = "wgpu")]

#[path = "../../../tests/backends/out_of_range.rs"]
mod out_of_range;

use cubecl::future::block_on;
use std::sync::{RwLock, RwLockReadGuard};
use tensor_op::backend::{Backend, Fold, Prim, Scalar, Value};
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;
use tensor_op::{Autodiff, Error, ErrorKind, Op, Shape, TensorData};
use tensor_op::{autodiff::AutodiffTensor, tensor_op};
use tensor_op_cube::{Cube, CubeTensor, Wgpu};

type Gpu = Cube<Wgpu>;

/// Held by tests whose calls `sync` must not tell of in another test.
static CALLS: RwLock<()> = RwLock::new(());

fn calls() -> RwLockReadGuard<'static, ()> {
    CALLS.read().expect("no test of sync fails")
}

fn gpu(data: TensorData) -> CubeTensor {
    Gpu::from_data(data, &Default::default()).expect("fits")
}

fn ids(ids: &[i64]) -> CubeTensor {
    gpu(TensorData::new(ids.to_vec(), [ids.len()]).expect("as many"))
}

fn ones(shape: &[usize]) -> CubeTensor {
    Gpu::full(Shape::new(shape), Scalar::Float(1.0), DType::F32, &Default::default()).expect("fits")
}

fn run(op: &dyn Op, args: Vec<CubeTensor>) -> Result<CubeTensor> {
    let results = Gpu::run(op, args.into_iter().map(Value::Tensor).collect(), &[true])?;
    Ok(results.into_iter().flatten().next().expect("one result"))
}

/// Rows of a table of four.
fn pick(rows: &[i64]) -> CubeTensor {
    run(&nn::Embedding, vec![ones(&[4, 3]), ids(rows)]).expect("is launched")
}

/// `[2, 3]`, of which the second row is not one of the table.
fn bad() -> CubeTensor {
    pick(&[0, 9])
}

/// Reads twice, and expects the same error.
fn error(tensor: &CubeTensor) -> Error {
    let [first, second] = [0, 1].map(|_| Gpu::into_data(tensor.clone()).expect_err("depends on a bad index"));
    assert_eq!(first.to_string(), second.to_string());
    let third = block_on(Gpu::into_data_async(tensor.clone()));
    assert_eq!(third.expect_err("depends on a bad index"), first);
    assert_eq!(first.kind(), ErrorKind::Index);
    first
}

#[test]
fn an_error_names_op_argument_and_dim() {
    let _calls = calls();
    for (bad, dtype) in [(4, DType::I64), (-1, DType::I64), (4, DType::I32), (-1, DType::I32)] {
        let ids = gpu(TensorData::new(vec![0_i64, bad], [2]).expect("two").cast(dtype));
        let found = run(&nn::Embedding, vec![ones(&[4, 3]), ids]).expect("is launched");
        let text = error(&found).to_string();
        assert!(text.starts_with("embedding: `ids`: dim `v` has size 4"), "{text}");
    }
}

#[test]
fn an_index_out_of_range_is_an_error_though_nothing_is_read() -> Result<()> {
    let _calls = calls();
    out_of_range::is_an_error::<Gpu>()
}

/// Among many ids, of which a unit sees a part.
#[test]
fn one_of_many_indices() -> Result<()> {
    let _calls = calls();
    for bad in [0, 1234, 4999] {
        let rows: Vec<i64> = (0..5000).map(|i| if i == bad { 4 } else { 1 }).collect();
        assert_eq!(error(&Gpu::scatter_add(ones(&[5000]), 0, ids(&rows), 4)?).op(), Some("scatter_add"));
        assert_eq!(error(&Gpu::gather(ones(&[4]), 0, ids(&rows))?).op(), Some("gather"));
    }
    Ok(())
}

#[test]
fn who_reads_something_else_gets_it() -> Result<()> {
    let _calls = calls();
    let (before, bad, after) = (pick(&[1, 2]), bad(), pick(&[3]));
    assert_eq!(Gpu::into_data(ones(&[1]))?.into_vec::<f32>()?, [1.0]);
    assert_eq!(Gpu::into_data(after.clone())?.into_vec::<f32>()?, [1.0; 3]);
    error(&bad);
    assert_eq!(Gpu::into_data(before)?.into_vec::<f32>()?, [1.0; 6]);
    assert_eq!(Gpu::into_data(Gpu::apply(Prim::Neg, vec![after])?)?.into_vec::<f32>()?, [-1.0; 3]);
    Ok(())
}

#[test]
fn another_thread_gets_the_error() {
    let _calls = calls();
    let bad = bad();
    let other = std::thread::spawn(|| Gpu::into_data(ones(&[1]))).join().expect("no panic");
    assert!(other.is_ok());
    error(&bad);
    std::thread::spawn(move || error(&bad)).join().expect("no panic");
    let made_there = std::thread::spawn(self::bad).join().expect("no panic");
    error(&made_there);
    error(
        &std::thread::spawn(move || Gpu::apply(Prim::Exp, vec![made_there]).expect("runs")).join().unwrap(),
    );
}

/// By every method of a backend, from each of its arguments, which is shared or given away.
#[test]
fn what_is_computed_from_it_is_an_error() -> Result<()> {
    let _calls = calls();
    let all = &[(0, 2, 1), (0, 3, 1)];
    let first = &[(0, 1, 1), (0, 3, 1)];
    let square = |x: CubeTensor| Gpu::reshape(x, Shape::new(&[1, 2, 3]));
    let index = |x: CubeTensor| Gpu::cast(x, DType::I64);
    type Method<'a> = (&'a str, &'a dyn Fn(CubeTensor) -> Result<CubeTensor>);
    let methods: &[Method<'_>] = &[
        ("run", &|x| run(&nn::SiluMul, vec![x, ones(&[2, 3])])),
        ("run with it last", &|x| run(&nn::SiluMul, vec![ones(&[2, 3]), x])),
        ("apply", &|x| Gpu::apply(Prim::Add, vec![x, ones(&[2, 3])])),
        ("apply to it last", &|x| Gpu::apply(Prim::Add, vec![ones(&[2, 3]), x])),
        ("reduce", &|x| Gpu::reduce(Fold::Sum, x, &[0])),
        ("matmul", &|x| Gpu::matmul(square(x)?, ones(&[1, 3, 2]))),
        ("matmul with it last", &|x| Gpu::matmul(ones(&[1, 3, 2]), square(x)?)),
        ("gather", &|x| Gpu::gather(x, 0, gpu(TensorData::new(vec![0_i64; 3], [1, 3])?))),
        ("gather by it", &|x| Gpu::gather(ones(&[2, 3]), 0, index(x)?)),
        ("scatter_add", &|x| Gpu::scatter_add(x, 0, gpu(TensorData::new(vec![0_i64; 6], [2, 3])?), 1)),
        ("scatter_add by it", &|x| Gpu::scatter_add(ones(&[2, 3]), 0, index(x)?, 2)),
        ("cast", &|x| Gpu::cast(x, DType::Bool)),
        ("cast to the same", &|x| Gpu::cast(x, DType::F32)),
        ("reshape", &|x| Gpu::reshape(x, Shape::new(&[6]))),
        ("reshape of a view", &|x| Gpu::reshape(Gpu::permute(x, &[1, 0])?, Shape::new(&[6]))),
        ("permute", &|x| Gpu::permute(x, &[1, 0])),
        ("expand", &|x| Gpu::expand(Gpu::slice(x, first)?, Shape::new(&[5, 3]))),
        ("slice", &|x| Gpu::slice(x, first)),
        ("slice_assign to it", &|x| Gpu::slice_assign(x, first, ones(&[1, 3]))),
        ("slice_assign of it", &|x| Gpu::slice_assign(ones(&[2, 3]), all, x)),
        ("cat", &|x| Gpu::cat(vec![x, ones(&[1, 3])], 0)),
        ("cat of it last", &|x| Gpu::cat(vec![ones(&[1, 3]), x], 0)),
    ];
    for (name, method) in methods {
        let shared = bad();
        let found = method(shared.clone())?;
        assert_eq!(error(&found).op(), Some("embedding"), "{name}");
        error(&shared);
        error(&method(bad())?);
        // Twice removed, and after the error is known.
        error(&Gpu::apply(Prim::IsFinite, vec![Gpu::cast(method(shared)?, DType::F32)?])?);
    }
    Ok(())
}

#[test]
fn gradients_of_it_are_an_error() -> Result<()> {
    let _calls = calls();
    let tracked = |x| AutodiffTensor::<Gpu>::from_inner(x).require_grad();
    let (table, scale) = (tracked(ones(&[4, 3])), tracked(ones(&[2, 3])));
    let run = |op: &dyn Op, args: [&AutodiffTensor<Gpu>; 2]| -> Result<AutodiffTensor<Gpu>> {
        let args = args.map(|arg| Value::Tensor(arg.clone())).into();
        Ok(Autodiff::<Gpu>::run(op, args, &[true])?.into_iter().flatten().next().expect("one result"))
    };
    let rows = run(&nn::Embedding, [&table, &AutodiffTensor::from_inner(ids(&[0, 9]))])?;
    let gradients = run(&tensor_op::catalogue::arith::MulFloat, [&rows, &scale])?.backward()?;
    error(gradients.get(&table).expect("tracked"));
    error(gradients.get(&scale).expect("tracked"));
    error(rows.inner());
    Ok(())
}

/// A result of which another is in doubt: an op has one error, as on the CPU.
#[tensor_op(tests = false)]
fn beside(x: Tensor![n], ids: IntTensor![m]) -> (Tensor![n], Tensor![m]) {
    (x * 2.0, at(x, n = ids))
}

#[test]
fn all_results_of_a_call_share_its_error() -> Result<()> {
    let _calls = calls();
    let args = vec![Value::Tensor(ones(&[4])), Value::Tensor(ids(&[7]))];
    for result in Gpu::run(&Beside, args, &[true, true])?.iter().flatten() {
        assert_eq!(error(result).op(), Some("beside"));
    }
    Ok(())
}

#[test]
fn threads_do_not_get_errors_of_others() {
    let _calls = calls();
    std::thread::scope(|scope| {
        scope.spawn(|| (0..100).for_each(|_| drop(error(&bad()))));
        scope.spawn(|| (0..100).for_each(|_| drop(Gpu::into_data(pick(&[3])).expect("in range"))));
        scope.spawn(|| (0..100).for_each(|_| drop(Gpu::into_data(ones(&[5])).expect("no index"))));
    });
}

#[test]
fn after_thousands_of_calls_that_nobody_read() {
    let _calls = calls();
    let kept = bad();
    (0..3000).for_each(|_| drop(pick(&[1])));
    let last = bad();
    assert!(Gpu::into_data(pick(&[2])).is_ok());
    error(&last);
    error(&kept);
}

/// A sum over more calls than a tensor keeps in doubt.
#[test]
fn sums_over_hundreds_of_calls() -> Result<()> {
    let _calls = calls();
    let sum = |rows: &dyn Fn(i64) -> i64| {
        let add = |sum, i| Gpu::apply(Prim::Add, vec![sum, pick(&[rows(i)])]);
        (0..300).try_fold(pick(&[0]), add)
    };
    assert_eq!(Gpu::into_data(sum(&|_| 1)?)?.into_vec::<f32>()?, [301.0; 3]);
    for at in [0, 150, 299] {
        error(&sum(&|i| if i == at { 9 } else { 1 })?);
    }
    Ok(())
}

#[test]
fn sync_tells_of_what_nobody_was_told_of() -> Result<()> {
    let _alone = CALLS.write().expect("no test of sync fails");
    let device = Default::default();
    drop(Gpu::sync(&device));
    let kept = bad();
    assert_eq!(Gpu::sync(&device).map_err(|error| error.kind()), Err(ErrorKind::Index));
    Gpu::sync(&device)?;
    error(&kept);
    drop(bad());
    assert!(Gpu::sync(&device).is_err());
    error(&bad());
    Gpu::sync(&device)?;
    // Of two calls that failed, the one error tells.
    error(&Gpu::apply(Prim::Add, vec![bad(), bad()])?);
    Gpu::sync(&device)
}
