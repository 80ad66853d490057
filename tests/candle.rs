//! candle's tensors: conversions, and functions in its graph, beside candle's own results.

use candle_core::{DType as Their, Device as Theirs, Tensor as Candle, Var, WithDType};
use tensor_op::candle::apply;
use tensor_op::prelude::*;
use tensor_op::{Element, ErrorKind, grad};

#[tensor_op]
fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
    x * gate * sigmoid(gate)
}

#[tensor_op]
fn affine(x: Tensor![m, k], w: Tensor![n, k], b: Tensor![n]) -> Tensor![m, n] {
    sum(x * w, k) + b
}

/// Pseudorandom numbers between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn var(shape: &[usize], seed: u64) -> Var {
    let elements = numbers(shape.iter().product(), seed);
    Var::from_tensor(&Candle::from_vec(elements, shape, &Theirs::Cpu).unwrap()).unwrap()
}

fn flat<T: WithDType>(x: &Candle) -> Vec<T> {
    x.flatten_all().unwrap().to_vec1().unwrap()
}

#[track_caller]
fn near(found: &Candle, right: &Candle) {
    assert_eq!(found.dims(), right.dims());
    for (found, right) in flat::<f64>(found).into_iter().zip(flat::<f64>(right)) {
        assert!((found - right).abs() <= 1e-12 * (1.0 + right.abs()), "{found} beside {right}");
    }
}

/// Both ways, of whole numbers that each dtype has.
#[track_caller]
fn there_and_back<T: Element + WithDType>() {
    let whole: Vec<T> = (0..24).map(|x| <T as WithDType>::from_f64(f64::from(x))).collect();
    let x = Candle::from_vec(whole, (2, 3, 4), &Theirs::Cpu).unwrap();
    let views = [
        x.clone(),
        x.t().unwrap(),
        x.transpose(0, 2).unwrap(),
        x.narrow(1, 1, 2).unwrap(),
        x.narrow(2, 1, 2).unwrap().t().unwrap(),
        x.narrow(0, 1, 1).unwrap().broadcast_as((5, 3, 4)).unwrap(),
        x.get(1).unwrap().get(2).unwrap().get(3).unwrap(),
        x.narrow(1, 3, 0).unwrap(),
        x.narrow(0, 2, 0).unwrap().t().unwrap(),
    ];
    for view in views {
        let ours = Tensor::try_from(&view).unwrap();
        assert_eq!((ours.dtype(), ours.shape().to_vec()), (<T as Element>::DTYPE, view.dims().to_vec()));
        let elements = if view.elem_count() == 0 { Vec::new() } else { flat::<T>(&view) };
        assert_eq!(ours.to_vec::<T>().unwrap(), elements);
        let back = Candle::try_from(&ours).unwrap();
        assert_eq!((back.dtype(), back.dims()), (view.dtype(), view.dims()));
        if ours.rank() > 1 {
            let back = Candle::try_from(ours.transpose(0, -1).unwrap()).unwrap();
            assert_eq!(back.dims(), view.transpose(0, view.rank() - 1).unwrap().dims());
        }
        assert_eq!(Tensor::try_from(back).unwrap().to_vec::<T>().unwrap(), elements);
    }
}

#[test]
fn dtypes_of_both_sides() {
    there_and_back::<f64>();
    there_and_back::<f32>();
    there_and_back::<half::f16>();
    there_and_back::<half::bf16>();
    there_and_back::<i64>();
    there_and_back::<i32>();
    there_and_back::<u32>();
    there_and_back::<u8>();
}

#[test]
fn bools_are_u8_and_others_have_no_counterpart() {
    let bools = Candle::try_from(Tensor::from([true, false])).unwrap();
    assert_eq!((bools.dtype(), flat::<u8>(&bools)), (Their::U8, vec![1, 0]));
    assert_eq!(Tensor::try_from(bools).unwrap().dtype(), DType::U8);
    for dtype in [Their::I16, Their::F8E4M3] {
        let x = Candle::ones(2, Their::F32, &Theirs::Cpu).unwrap().to_dtype(dtype).unwrap();
        let error = Tensor::try_from(&x).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DType);
        assert!(error.to_string().contains("cast it in candle"), "{error}");
    }
}

/// What candle writes later is not seen here, and the other way round.
#[test]
fn memory_is_not_shared() {
    let x = var(&[3], 1);
    let ours = Tensor::try_from(x.as_tensor()).unwrap();
    let before = ours.to_vec::<f64>().unwrap();
    x.set(&x.zeros_like().unwrap()).unwrap();
    assert_eq!(ours.to_vec::<f64>().unwrap(), before);
    let theirs = Candle::try_from(&ours).unwrap();
    let changed = Var::from_tensor(&theirs).unwrap();
    changed.set(&changed.zeros_like().unwrap()).unwrap();
    assert_eq!(ours.to_vec::<f64>().unwrap(), before);
}

#[test]
fn gradients_of_one_two_and_three_inputs() {
    let x = var(&[3, 4], 2);
    let found = apply(|[x]| x.softmax(-1), [&x.t().unwrap()]).unwrap();
    let shifted = x.exp().unwrap().t().unwrap();
    let right = shifted.broadcast_div(&shifted.sum_keepdim(1).unwrap()).unwrap();
    let weights = Candle::from_vec(numbers(12, 3), (4, 3), &Theirs::Cpu).unwrap();
    compare(&found, &right, &weights, &[&x]);

    let gate = var(&[3, 4], 4);
    let found = apply(|[x, gate]| silu_mul(x, gate), [&x, &gate]).unwrap();
    let right = (x.as_tensor() * gate.silu().unwrap()).unwrap();
    compare(&found, &right, &weights.t().unwrap(), &[&x, &gate]);

    let (w, b) = (var(&[5, 4], 5), var(&[5], 6));
    let found = apply(|[x, w, b]| affine(x, w, b), [&x, &w, &b]).unwrap();
    let right = x.matmul(&w.t().unwrap()).unwrap().broadcast_add(&b).unwrap();
    let weights = Candle::from_vec(numbers(15, 7), (3, 5), &Theirs::Cpu).unwrap();
    compare(&found, &right, &weights, &[&x, &w, &b]);
}

/// Values, and gradients of a weighted sum, in a graph that goes on behind the call.
#[track_caller]
fn compare(found: &Candle, right: &Candle, weights: &Candle, inputs: &[&Var]) {
    near(found, right);
    let gradients = |y: &Candle| (y.sin().unwrap() * weights).unwrap().sum_all().unwrap().backward().unwrap();
    let (ours, again, theirs) = (gradients(found), gradients(found), gradients(right));
    for input in inputs {
        near(ours.get(input).unwrap(), theirs.get(input).unwrap());
        assert_eq!(flat::<f64>(ours.get(input).unwrap()), flat::<f64>(again.get(input).unwrap()));
    }
}

#[test]
fn many_inputs() {
    let x: Vec<Var> = (0..5).map(|i| var(&[2, i + 1], i as u64)).collect();
    let inputs: [&Candle; 5] = std::array::from_fn(|i| x[i].as_tensor());
    let found = apply(|parts| Tensor::cat(parts, 1)?.square(), inputs).unwrap();
    let right = Candle::cat(&inputs, 1).unwrap().sqr().unwrap();
    let weights = Candle::from_vec(numbers(30, 7), (2, 15), &Theirs::Cpu).unwrap();
    compare(&found, &right, &weights, &x.iter().collect::<Vec<_>>());
}

#[test]
fn inputs_without_gradients() {
    let table = var(&[4, 3], 8);
    let at = Candle::new(&[2_u32, 0, 2], &Theirs::Cpu).unwrap();
    let found = apply(|[table, at]| table.index_select(0, at.cast(DType::I64)?), [&table, &at]).unwrap();
    let right = table.index_select(&at, 0).unwrap();
    let weights = Candle::from_vec(numbers(9, 9), (3, 3), &Theirs::Cpu).unwrap();
    compare(&found, &right, &weights, &[&table]);

    // A constant, and a result that does not depend on what candle tracks.
    let constant = Candle::ones(3, Their::F32, &Theirs::Cpu).unwrap();
    assert_eq!(flat::<f32>(&apply(|[x]| x.exp(), [&constant]).unwrap()), [1_f32.exp(); 3]);
    let found = apply(|[x]| x.detach().sum(..), [&table]).unwrap();
    assert!(found.dims().is_empty() && found.backward().unwrap().get(&table).is_none());
}

/// Second derivatives are taken inside of the function.
#[test]
fn derivatives_inside_of_the_function() {
    let x = var(&[3], 10);
    let cube = |x: &[Tensor]| (&x[0] * &x[0].square()?)?.sum(..);
    let found = apply(move |[x]| Ok(grad(cube)(std::slice::from_ref(x))?.remove(0)), [&x]).unwrap();
    let right = (x.sqr().unwrap() * 3.0).unwrap();
    compare(&found, &right, &x.ones_like().unwrap(), &[&x]);
}

#[test]
fn errors_name_the_op() {
    let (x, w, b) = (var(&[3, 4], 1), var(&[5, 3], 2), var(&[5], 3));
    let error = apply(|[x, w, b]| affine(x, w, b), [&x, &w, &b]).unwrap_err().to_string();
    assert!(error.contains("affine"), "{error}");
    let ids = Candle::zeros(2, Their::I64, &Theirs::Cpu).unwrap();
    let error = apply(|[x, _, _, _]| x.exp(), [&x, &w, &b, &ids]).unwrap_err().to_string();
    assert!(error.contains("`tensor_op::candle::apply` takes one dtype"), "{error}");
    let none: [&Candle; 0] = [];
    assert!(
        apply(|[]: &[Tensor; 0]| Ok(Tensor::from([1.0])), none).unwrap_err().to_string().contains("needs")
    );
}
