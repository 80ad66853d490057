//! Compares the structural primitives with plain loops over indices, for each dtype and memory layout.

use crate::kernel::tests::{MEMORIES, Memory, tensor, values, with_threads};
use crate::{CpuDevice, NdArray, NdArrayTensor};
use tensor_op_core::{Backend, DType, Distribution, ErrorKind, Generator, Result, Shape, TensorData};
use tensor_op_spec::ir::{Kind, Scalar};
use tensor_op_spec::prim::{Fold, Group, Prim};

type Index = Vec<usize>;
/// The elements of an argument as a function of the index.
type At<'a> = &'a dyn Fn(&[usize]) -> f64;

/// A tensor of small whole numbers, which every dtype can represent.
fn sample(shape: &[usize], dtype: DType, seed: usize) -> TensorData {
    let len: usize = shape.iter().product();
    let numbers: Vec<i64> = (0..len).map(|i| ((i * 7 + seed * 3 + i / 5) % 6) as i64).collect();
    TensorData::new(numbers, Shape::new(shape)).unwrap().cast(dtype)
}

/// All indices of a shape, row-major.
fn indices(shape: &[usize]) -> Vec<Index> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all.iter().flat_map(|index| (0..size).map(move |i| [&index[..], &[i]].concat())).collect();
    }
    all
}

fn place(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (size, i)| at * size + i)
}

/// Runs `primitive` on samples of these shapes, in every dtype of `kinds` and every memory layout, and
/// compares each element of the result with `expected`, a function of its index and of the arguments'
/// elements.
fn check(
    shapes: &[&[usize]],
    kinds: &[Kind],
    shape: &[usize],
    primitive: impl Fn(Vec<NdArrayTensor>) -> Result<NdArrayTensor>,
    expected: impl Fn(&[usize], &[At<'_>]) -> f64,
) {
    for dtype in DType::ALL.into_iter().filter(|dtype| kinds.contains(&dtype.kind())) {
        let data: Vec<TensorData> = shapes.iter().enumerate().map(|(i, s)| sample(s, dtype, i)).collect();
        let elements: Vec<Vec<f64>> = data.iter().map(values).collect();
        let at: Vec<_> = (0..data.len())
            .map(|arg| {
                let (shape, elements) = (data[arg].shape(), &elements[arg]);
                move |index: &[usize]| elements[place(shape, index)]
            })
            .collect();
        let at: Vec<At<'_>> = at.iter().map(|at| at as At<'_>).collect();
        for memory in MEMORIES {
            let found = primitive(data.iter().map(|data| tensor(data, memory)).collect()).unwrap();
            assert_eq!(found.shape()[..], *shape, "{dtype} {memory:?}");
            let found = values(&found.into_data().unwrap());
            for (value, index) in found.iter().zip(indices(shape)) {
                assert_eq!(*value, expected(&index, &at), "{dtype} {memory:?} {index:?}");
            }
        }
    }
}

const ALL: [Kind; 3] = [Kind::Float, Kind::Int, Kind::Bool];
const NUMBERS: [Kind; 2] = [Kind::Float, Kind::Int];
const SHAPES: [&[usize]; 6] = [&[], &[5], &[3, 4], &[2, 0, 3], &[2, 3, 4, 2], &[40, 50]];

#[test]
fn arithmetic_and_comparisons() {
    for shape in SHAPES {
        let both = [shape, shape];
        check(&both, &NUMBERS, shape, |args| NdArray::apply(Prim::Add, args), |i, x| x[0](i) + x[1](i));
        check(
            &both,
            &NUMBERS,
            shape,
            |args| NdArray::apply(Prim::Maximum, args),
            |i, x| x[0](i).max(x[1](i)),
        );
        check(
            &both,
            &ALL,
            shape,
            |args| NdArray::apply(Prim::Eq, args),
            |i, x| f64::from(x[0](i) == x[1](i)),
        );
        check(&[shape], &[Kind::Bool], shape, |args| NdArray::apply(Prim::Not, args), |i, x| 1.0 - x[0](i));
        check(&[shape], &[Kind::Float], shape, |args| NdArray::apply(Prim::Floor, args), |i, x| x[0](i));
        let select = |mut args: Vec<NdArrayTensor>| {
            let condition = NdArray::cast(args[0].clone(), DType::Bool)?;
            args.insert(0, condition);
            NdArray::apply(Prim::Select, args)
        };
        check(&both, &ALL, shape, select, |i, x| if x[0](i) != 0.0 { x[0](i) } else { x[1](i) });
    }
}

#[test]
fn every_primitive_has_a_body_for_the_kinds_that_it_takes() {
    for prim in Prim::ALL.iter().copied().filter(|prim| !matches!(prim.group(), Group::Draw(_))) {
        for dtype in [DType::F32, DType::I64, DType::Bool] {
            let arity = prim.row().operands.len();
            let mut args = vec![tensor(&sample(&[3], dtype, 1), Memory::Plain); arity];
            if prim == Prim::Select {
                args[0] = tensor(&sample(&[3], DType::Bool, 1), Memory::Plain);
            }
            let kinds: Vec<Kind> = args.iter().map(|arg| arg.dtype().kind()).collect();
            let result = NdArray::apply(prim, args);
            match prim.result_kind(&kinds) {
                Some(kind) => assert_eq!(result.unwrap().dtype().kind(), kind, "{prim:?} {dtype}"),
                None => assert_eq!(result.unwrap_err().kind(), ErrorKind::DType, "{prim:?} {dtype}"),
            }
        }
    }
}

#[test]
fn reductions_over_any_axes() {
    let folds = |axes: &'static [usize]| {
        let shape: &[usize] = &[3, 4, 2, 5];
        let kept: Vec<usize> = (0..4).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
        let reduced: Vec<usize> = axes.iter().map(|axis| shape[*axis]).collect();
        // The elements that a result is made of, in row-major order of the reduced axes.
        let parts = move |index: &[usize], x: &dyn Fn(&[usize]) -> f64| -> Vec<f64> {
            let whole = |inner: Index| {
                let (mut outer, mut inner) = (index.iter(), inner.into_iter());
                let at = |axis| if axes.contains(&axis) { inner.next() } else { outer.next().copied() };
                (0..4).map(at).collect::<Option<Index>>().unwrap()
            };
            indices(&reduced).into_iter().map(|inner| x(&whole(inner))).collect()
        };
        let run = |fold: Fold| move |args: Vec<NdArrayTensor>| NdArray::reduce(fold, args[0].clone(), axes);
        check(&[shape], &NUMBERS, &kept, run(Fold::Sum), |i, x| parts(i, x[0]).iter().sum());
        check(&[shape], &NUMBERS, &kept, run(Fold::Max), |i, x| {
            parts(i, x[0]).into_iter().fold(0.0, f64::max)
        });
        check(&[shape], &NUMBERS, &kept, run(Fold::ArgMax), |i, x| {
            let parts = parts(i, x[0]);
            (0..parts.len()).rev().max_by(|a, b| parts[*a].total_cmp(&parts[*b])).unwrap() as f64
        });
        check(&[shape], &[Kind::Bool], &kept, run(Fold::All), |i, x| {
            f64::from(parts(i, x[0]).iter().all(|v| *v != 0.0))
        });
    };
    for axes in [&[0][..], &[3], &[1, 2], &[0, 3], &[0, 1, 2, 3], &[2, 3], &[]] {
        folds(axes);
    }
}

#[test]
fn reductions_of_nothing() {
    for (fold, value) in [(Fold::Sum, 0.0), (Fold::Prod, 1.0)] {
        let run = |args: Vec<NdArrayTensor>| NdArray::reduce(fold, args[0].clone(), &[1]);
        check(&[&[3, 0]], &NUMBERS, &[3], run, |_, _| value);
        let run = |args: Vec<NdArrayTensor>| NdArray::reduce(fold, args[0].clone(), &[0]);
        check(&[&[0, 3]], &NUMBERS, &[3], run, |_, _| value);
    }
    for (fold, value) in [(Fold::Any, 0.0), (Fold::All, 1.0)] {
        let run = |args: Vec<NdArrayTensor>| NdArray::reduce(fold, args[0].clone(), &[0, 1]);
        check(&[&[0, 3]], &[Kind::Bool], &[], run, |_, _| value);
    }
    let error =
        NdArray::reduce(Fold::Max, tensor(&sample(&[3, 0], DType::F32, 1), Memory::Plain), &[1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Empty);
    assert_eq!(
        error.to_string(),
        "max: axis 1 of shape [3, 0] is empty, and max over no elements has no value"
    );
}

#[test]
fn products_of_matrices() {
    for [b, m, k, n] in
        [[1, 2, 3, 4], [3, 5, 1, 2], [2, 1, 7, 1], [2, 3, 0, 4], [0, 3, 2, 4], [1, 40, 30, 20]]
    {
        let multiply = |args: Vec<NdArrayTensor>| NdArray::matmul(args[0].clone(), args[1].clone());
        let expected = |i: &[usize], x: &[At<'_>]| {
            (0..k).map(|at| x[0](&[i[0], i[1], at]) * x[1](&[i[0], at, i[2]])).sum::<f64>()
        };
        let exact = k < 8;
        let kinds: &[Kind] = if exact { &[Kind::Float] } else { &[] };
        check(&[&[b, m, k], &[b, k, n]], kinds, &[b, m, n], multiply, expected);
    }
}

#[test]
fn movement() {
    let s: &[usize] = &[2, 3, 4];
    let one =
        |f: fn(NdArrayTensor) -> Result<NdArrayTensor>| move |mut args: Vec<NdArrayTensor>| f(args.remove(0));
    check(&[s], &ALL, &[4, 6], one(|x| NdArray::reshape(x, Shape::new(&[4, 6]))), |i, x| {
        let at = i[0] * 6 + i[1];
        x[0](&[at / 12, at / 4 % 3, at % 4])
    });
    check(&[s], &ALL, &[4, 2, 3], one(|x| NdArray::permute(x, &[2, 0, 1])), |i, x| x[0](&[i[1], i[2], i[0]]));
    let ranges = [(0, 2, 1), (1, 3, 1), (1, 4, 2)];
    let sliced = move |mut args: Vec<NdArrayTensor>| NdArray::slice(args.remove(0), &ranges);
    check(&[s], &ALL, &[2, 2, 2], sliced, |i, x| x[0](&[i[0], i[1] + 1, i[2] * 2 + 1]));
    let expand = one(|x| NdArray::expand(x, Shape::new(&[5, 3, 2])));
    check(&[&[1, 3, 1]], &ALL, &[5, 3, 2], expand, |i, x| x[0](&[0, i[1], 0]));
    let cat = |args: Vec<NdArrayTensor>| NdArray::cat(args, 1);
    check(&[&[2, 3], &[2, 0], &[2, 2]], &ALL, &[2, 5], cat, |i, x| {
        if i[1] < 3 { x[0](i) } else { x[2](&[i[0], i[1] - 3]) }
    });
    let assign = move |mut args: Vec<NdArrayTensor>| {
        let source = args.pop().unwrap();
        NdArray::slice_assign(args.remove(0), &ranges, source)
    };
    check(&[s, &[2, 2, 2]], &ALL, s, assign, |i, x| {
        if i[1] >= 1 && i[2] % 2 == 1 { x[1](&[i[0], i[1] - 1, i[2] / 2]) } else { x[0](i) }
    });
}

#[test]
fn a_slice_that_is_written_leaves_the_original() {
    let data = sample(&[4, 4], DType::F32, 1);
    let kept = tensor(&data, Memory::Plain);
    let source = tensor(&sample(&[2, 4], DType::F32, 2), Memory::Plain);
    NdArray::slice_assign(kept.clone(), &[(0, 2, 1), (0, 4, 1)], source).unwrap();
    assert_eq!(kept.into_data().unwrap(), data);
}

#[test]
fn gather_and_its_adjoint() {
    let index = |memory| tensor(&TensorData::new(vec![2i32, 0, 1, 1, 2, 2], [3, 2]).unwrap(), memory);
    let ids = |i: &[usize]| [[2, 0], [1, 1], [2, 2]][i[0]][i[1]];
    for memory in MEMORIES {
        let gather = |args: Vec<NdArrayTensor>| NdArray::gather(args[0].clone(), 1, index(memory));
        check(&[&[3, 3]], &ALL, &[3, 2], gather, |i, x| x[0](&[i[0], ids(i)]));
        let scatter = |args: Vec<NdArrayTensor>| NdArray::scatter_add(args[0].clone(), 1, index(memory), 4);
        check(&[&[3, 2]], &NUMBERS, &[3, 4], scatter, |i, x| {
            (0..2).filter(|j| ids(&[i[0], *j]) == i[1]).map(|j| x[0](&[i[0], j])).sum()
        });
    }
    let error =
        NdArray::gather(tensor(&sample(&[3, 2], DType::F32, 1), Memory::Plain), 1, index(Memory::Plain));
    assert_eq!(error.unwrap_err().to_string(), "dim `1` has size 2, but the index is 2");
}

#[test]
fn casts_between_all_dtypes() {
    for from in DType::ALL {
        for to in DType::ALL {
            for memory in MEMORIES {
                let data = sample(&[3, 50], from, 1);
                let found = NdArray::cast(tensor(&data, memory), to).unwrap().into_data().unwrap();
                assert_eq!(found, data.cast(to), "{from} to {to}");
            }
        }
    }
    let odd = TensorData::new(vec![-1.5, f64::NAN, 1e30, -0.0], [4]).unwrap();
    for to in DType::ALL.into_iter().filter(|to| to.kind() != Kind::Float) {
        let found = NdArray::cast(tensor(&odd, Memory::Plain), to).unwrap().into_data().unwrap();
        assert_eq!(found, odd.clone().cast(to), "{to}");
    }
}

#[test]
fn misuse_is_an_error() {
    let x = || tensor(&sample(&[2, 3], DType::F32, 1), Memory::Plain);
    let ids = || tensor(&sample(&[2, 3], DType::I64, 1), Memory::Plain);
    let kind = |result: Result<NdArrayTensor>| result.unwrap_err().kind();
    assert_eq!(kind(NdArray::reshape(x(), Shape::new(&[7]))), ErrorKind::Shape);
    assert_eq!(kind(NdArray::permute(x(), &[0, 0])), ErrorKind::Rank);
    assert_eq!(kind(NdArray::expand(x(), Shape::new(&[3, 3]))), ErrorKind::Shape);
    assert_eq!(kind(NdArray::expand(x(), Shape::new(&[2, usize::MAX]))), ErrorKind::Overflow);
    assert_eq!(kind(NdArray::slice(x(), &[(0, 2, 1), (2, 4, 1)])), ErrorKind::Shape);
    assert_eq!(kind(NdArray::slice(x(), &[(0, 2, 1)])), ErrorKind::Rank);
    assert_eq!(kind(NdArray::cat(vec![], 0)), ErrorKind::Length);
    assert_eq!(kind(NdArray::cat(vec![x(), ids()], 0)), ErrorKind::DType);
    assert_eq!(kind(NdArray::apply(Prim::Add, vec![x(), ids()])), ErrorKind::DType);
    assert_eq!(kind(NdArray::matmul(x(), x())), ErrorKind::Shape);
    assert_eq!(kind(NdArray::gather(x(), 1, x())), ErrorKind::DType);
    assert_eq!(
        kind(NdArray::full(Shape::new(&[usize::MAX, 2]), Scalar::Int(0), DType::F32, &CpuDevice)),
        ErrorKind::Overflow
    );
}

#[test]
fn random_elements_depend_on_the_seed_alone() {
    let uniform = Distribution::Uniform { low: -1.0, high: 3.0 };
    let normal = Distribution::Normal { mean: 2.0, std: 0.5 };
    let generator = Generator::new(7);
    let draw = |generator: &Generator, distribution, dtype| {
        let draw = generator.draw([50_000], distribution, dtype).unwrap();
        let drawn = NdArray::random(&draw, &CpuDevice).unwrap().into_data().unwrap();
        assert_eq!(drawn, draw.to_data().unwrap());
        values(&drawn)
    };
    let both =
        |generator: &Generator| (draw(generator, uniform, DType::F64), draw(generator, normal, DType::F64));
    let (flat, bell) = with_threads(1, || both(&generator));
    assert!(with_threads(3, || both(&Generator::new(7))) == (flat.clone(), bell.clone()));
    assert!(draw(&generator, uniform, DType::F64) != flat);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let spread = |values: &[f64]| {
        let middle = mean(values);
        mean(&values.iter().map(|v| (v - middle).powi(2)).collect::<Vec<_>>()).sqrt()
    };
    assert!(flat.iter().all(|v| (-1.0..3.0).contains(v)));
    assert!((mean(&flat) - 1.0).abs() < 0.02 && (spread(&flat) - 4.0 / 12f64.sqrt()).abs() < 0.02);
    assert!((mean(&bell) - 2.0).abs() < 0.01 && (spread(&bell) - 0.5).abs() < 0.01);
    assert!(draw(&generator, uniform, DType::BF16).iter().all(|v| (-1.0..3.0).contains(v)));
}
