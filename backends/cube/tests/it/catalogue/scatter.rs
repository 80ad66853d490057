//! Sums into tables, small ones of which units share. They are of whole numbers, so that they are exact in
//! any order.

use super::{Gpu, gpu};
use tensor_op::backend::{Backend, Scalar, Value, interpret};
use tensor_op::prelude::*;
use tensor_op::{Op, Shape, TensorData, tensor_op};

fn id(i: usize, size: usize) -> usize {
    i * 7919 % 10_007 % size
}

/// `[points, columns]` numbers, the ids of as many into `size` rows, and the sums.
fn numbers([points, columns]: [usize; 2], size: usize) -> [TensorData; 3] {
    let all = || 0..points * columns;
    let source: Vec<i64> = all().map(|i| i as i64 % 11 - 4).collect();
    let mut sums = vec![0_i64; size * columns];
    all().for_each(|i| sums[id(i, size) * columns + i % columns] += source[i]);
    let ids: Vec<i64> = all().map(|i| id(i, size) as i64).collect();
    let data = |x: Vec<i64>, rows| TensorData::new(x, [rows, columns]).expect("as many as the shape says");
    [data(source, points), data(ids, points), data(sums, size)]
}

fn sums_are_exact(shape: [usize; 2], size: usize, dtype: DType) {
    if !Gpu::supports_dtype(&Default::default(), dtype) {
        return;
    }
    let [source, ids, sums] = numbers(shape, size);
    let found = Gpu::scatter_add(gpu(source.cast(dtype)), 0, gpu(ids), size).and_then(Gpu::into_data);
    assert_eq!(found.expect("runs"), sums.cast(dtype), "{shape:?} into {size} of {dtype}");
}

#[test]
fn sums_into_tables_of_any_size() {
    for size in [1, 3, 100, 4096, 20_001] {
        sums_are_exact([20_011, 1], size, DType::F32);
    }
    for points in [1, 63, 64, 65, 97, 70_001] {
        sums_are_exact([points, 1], 2, DType::F32);
        sums_are_exact([points, 3], 5, DType::F32);
    }
    sums_are_exact([130, 40_000], 2, DType::F32);
}

/// More than 65,535 turns of a loop, after which Mesa's processor driver leaves it.
#[test]
fn sums_of_many_points() -> Result<()> {
    sums_are_exact([700_001, 1], 9973, DType::F32);
    let ids: Vec<i64> = (0..300_000).collect();
    let [ones, ids] =
        [TensorData::full([300_000], Scalar::Int(1), DType::F32)?, TensorData::new(ids, [300_000])?];
    let found = Gpu::into_data(Gpu::scatter_add(gpu(ones.clone()), 0, gpu(ids), 300_000)?)?;
    assert_eq!(found, ones);
    Ok(())
}

#[test]
fn sums_of_any_dtype() {
    for dtype in [DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::U8] {
        // Halves have few digits: these sums are below 256.
        sums_are_exact([2003, 1], 30, dtype);
        sums_are_exact([311, 3], 4, dtype);
        // These indices are sorted.
        sums_are_exact([6007, 1], 6000, dtype);
        sums_are_exact([6007, 3], 6000, dtype);
    }
}

#[test]
fn indices_of_any_dtype() {
    for (dtype, size) in [(DType::I32, 6000), (DType::U32, 6000), (DType::U8, 200), (DType::U8, 3)] {
        let [source, ids, sums] = numbers([6007, 3], size);
        let ids = gpu(ids.cast(dtype));
        let found = Gpu::scatter_add(gpu(source.cast(DType::F32)), 0, ids, size).and_then(Gpu::into_data);
        assert_eq!(found.expect("runs"), sums.cast(DType::F32), "{dtype}");
    }
}

/// In halves a sum of ones would stay at 256 or 2048.
#[test]
fn halves_are_added_in_floats() -> Result<()> {
    for dtype in [DType::F16, DType::BF16] {
        if Gpu::supports_dtype(&Default::default(), dtype) {
            let ones = gpu(TensorData::new(vec![1.0_f32; 8192], [8192])?.cast(dtype));
            let sum = Gpu::scatter_add(ones, 0, gpu(TensorData::new(vec![0_i64; 8192], [8192])?), 1)?;
            assert_eq!(Gpu::into_data(sum)?.cast(DType::F32).into_vec::<f32>()?, [8192.0]);
        }
    }
    Ok(())
}

#[test]
fn bools_of_which_one_is_true() -> Result<()> {
    let source = TensorData::new((0..3000).map(|i| i == 2987).collect::<Vec<_>>(), [3000])?;
    let ids = TensorData::new((0..3000).map(|i| i % 3).collect::<Vec<i64>>(), [3000])?;
    let found = Gpu::into_data(Gpu::scatter_add(gpu(source), 0, gpu(ids), 3)?)?;
    assert_eq!(found.into_vec::<bool>()?, [false, false, true]);
    // Indices that are sorted.
    let source = TensorData::new((0..6007).map(|i| i % 7 == 3).collect::<Vec<_>>(), [6007])?;
    let ids = TensorData::new((0..6007).map(|i| i % 6000).collect::<Vec<i64>>(), [6007])?;
    let found = Gpu::into_data(Gpu::scatter_add(gpu(source), 0, gpu(ids), 6000)?)?.into_vec::<bool>()?;
    let expected = |i: usize| i % 7 == 3 || i < 7 && (i + 6000) % 7 == 3;
    assert_eq!((0..6000).find(|i| found[*i] != expected(*i)), None);
    // 256 for each place: no more than a byte counts.
    let all = gpu(TensorData::new(vec![true; 768], [768])?);
    let ids = gpu(TensorData::new((0..768).map(|i| i % 3).collect::<Vec<i64>>(), [768])?);
    assert_eq!(Gpu::into_data(Gpu::scatter_add(all, 0, ids, 3)?)?.into_vec::<bool>()?, [true; 3]);
    Ok(())
}

#[test]
fn sums_of_nothing_are_zero() -> Result<()> {
    let empty = || -> Result<_> { Ok(gpu(TensorData::new(Vec::<f32>::new(), [0])?)) };
    let ids = || -> Result<_> { Ok(gpu(TensorData::new(Vec::<i64>::new(), [0])?)) };
    let sums = |size| Gpu::into_data(Gpu::scatter_add(empty()?, 0, ids()?, size)?)?.into_vec::<f32>();
    assert_eq!(sums(3)?, [0.0; 3]);
    assert_eq!(sums(0)?, [0.0; 0]);
    Ok(())
}

/// Neither ids nor what is added lie in order.
#[test]
fn sums_of_views() -> Result<()> {
    // Into the larger table, indices are sorted.
    sums_of_views_into(6)?;
    sums_of_views_into(5000)
}

fn sums_of_views_into(size: usize) -> Result<()> {
    let [source, ids, sums] = numbers([5000, 3], size);
    let turned = |data: TensorData| -> Result<_> {
        let data = Gpu::into_data(Gpu::permute(gpu(data), &[1, 0])?)?;
        Gpu::permute(gpu(data), &[1, 0])
    };
    let source = source.cast(DType::F32);
    let found = Gpu::scatter_add(turned(source.clone())?, 0, turned(ids.clone())?, size)?;
    assert_eq!(Gpu::into_data(found)?, sums.clone().cast(DType::F32));
    let every_other = [(1, 4999, 2), (0, 3, 2)];
    let slice = |data: TensorData| Gpu::slice(gpu(data), &every_other);
    let found = Gpu::into_data(Gpu::scatter_add(slice(source.clone())?, 0, slice(ids.clone())?, size)?)?;
    let contiguous = |data: TensorData| -> Result<_> { Ok(gpu(Gpu::into_data(slice(data)?)?)) };
    let expected = Gpu::scatter_add(contiguous(source)?, 0, contiguous(ids)?, size)?;
    assert_eq!(found, Gpu::into_data(expected)?);
    Ok(())
}

/// Its gradient adds one number at all ids.
#[tensor_op(tests = false)]
fn total_at(x: Tensor![n], ids: IntTensor![a, b]) -> Tensor![] {
    sum(at(x, n = ids), (a, b))
}

/// Its gradient adds rows.
#[tensor_op(tests = false)]
fn rows_at(x: Tensor![n, d], ids: IntTensor![a, b]) -> Tensor![a, b, d] {
    at(x, n = ids)
}

#[test]
fn gradients_of_what_tables_were_read_for() -> Result<()> {
    gradients_of_a_table(7)?;
    gradients_of_a_table(5000)
}

fn gradients_of_a_table(size: usize) -> Result<()> {
    let ids = |a, b| numbers([a * b, 1], size)[1].clone().reshape([a, b]);
    let floats = |count: usize| (0..count).map(|i| (i % 13) as f32 - 5.0).collect::<Vec<_>>();
    let tensor = |shape: &[usize]| TensorData::new(floats(shape.iter().product()), shape);
    let total = TensorData::new(vec![3.0_f32], Shape::new(&[]))?;
    let cases: [(&dyn Op, Vec<TensorData>); 2] = [
        (&TotalAt, vec![total, tensor(&[size])?, ids(61, 103)?]),
        (&RowsAt, vec![tensor(&[61, 103, 4])?, tensor(&[size, 4])?, ids(61, 103)?]),
    ];
    for (op, data) in cases {
        let backward = op.spec().derived_backward().expect("differentiable");
        let names: Vec<&str> = backward.spec().graph().args.iter().map(|arg| arg.name.as_str()).collect();
        let of = |name: &&str| match *name {
            "ids" => Value::Tensor(data[2].clone()),
            "x" => Value::Tensor(data[1].clone()),
            _ => Value::Tensor(data[0].clone()),
        };
        let args: Vec<Value<TensorData>> = names.iter().map(of).collect();
        let expected = interpret(backward.spec().graph(), &args)?;
        let on_gpu = args.into_iter().map(|arg| arg.map(gpu)).collect();
        let found = Gpu::run(backward.as_ref(), on_gpu, &vec![true; expected.len()])?;
        for (found, expected) in found.into_iter().flatten().zip(expected) {
            assert_eq!(Gpu::into_data(found)?, expected.cast(DType::F32), "{}", op.spec().name());
        }
    }
    Ok(())
}

#[test]
fn sums_of_the_same_bits_each_time() -> Result<()> {
    let source: Vec<f32> = (0..50_001).map(|i| (i as f32 * 0.618_034).fract() - 0.3).collect();
    let exact: f64 = source.iter().step_by(3).map(|x| f64::from(*x)).sum();
    let source = gpu(TensorData::new(source, [50_001])?);
    let ids = gpu(TensorData::new((0..50_001).map(|i| i % 3).collect::<Vec<i64>>(), [50_001])?);
    let run = || Gpu::into_data(Gpu::scatter_add(source.clone(), 0, ids.clone(), 3)?)?.into_vec::<f32>();
    let first = run()?;
    assert!((f64::from(first[0]) - exact).abs() < 1e-6 * 50_001.0, "{} and {exact}", first[0]);
    for _ in 0..5 {
        assert_eq!(
            run()?.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            first.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        );
    }
    Ok(())
}
