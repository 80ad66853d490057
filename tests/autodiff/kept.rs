//! What ops keep for their gradients at run time: statistics in the dtype of the arithmetic, and only if the
//! call is tracked.

use tensor_op::backend::Value;
use tensor_op::catalogue::nn::*;
use tensor_op::{Autodiff, Backend, DType, NdArray, Op, TensorData};

type Tensor = <NdArray as Backend>::Tensor;
type Grad = Autodiff<NdArray>;

fn tensor(shape: &[usize], dtype: DType) -> Tensor {
    around(20.0, shape, dtype)
}

fn around(middle: f64, shape: &[usize], dtype: DType) -> Tensor {
    let count = shape.iter().product();
    let elements: Vec<f64> = (0..count).map(|i: usize| (i as f64 * 0.7).sin() * 3.0 + middle).collect();
    let data = TensorData::new(elements, shape).expect("as many as the shape says");
    NdArray::from_data(data.cast(dtype), &Default::default()).expect("the cpu takes floats")
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    NdArray::into_data(tensor.clone()).expect("readable").cast(DType::F64).into_vec().expect("f64")
}

#[test]
fn hidden_results_are_given_on_request_in_the_dtype_of_the_arithmetic() {
    let args = || vec![tensor(&[3, 8], DType::BF16)].into_iter().map(Value::Tensor);
    let target = TensorData::new(vec![1i64, 0, 7], [3]).expect("as many as the shape says");
    let target = NdArray::from_data(target, &Default::default()).expect("the cpu takes ints");
    let run = |wanted: &[bool]| {
        let args = args().chain([Value::Tensor(target.clone())]).collect();
        NdArray::run(&CrossEntropy, args, wanted).expect("the op runs")
    };
    let visible = CrossEntropy.spec().graph().visible();
    assert_eq!(visible, [true, false]);
    assert!(run(&visible)[1].is_none());
    let all = run(&[true, true]);
    let dtypes: Vec<DType> = all.iter().flatten().map(NdArray::dtype).collect();
    assert_eq!(dtypes, [DType::BF16, DType::F32]);
    let exact = numbers(&all[1].clone().expect("asked for"));
    let rows = numbers(&tensor(&[3, 8], DType::BF16));
    for (found, row) in exact.iter().zip(rows.chunks(8)) {
        let expected = row.iter().map(|x| x.exp()).sum::<f64>().ln();
        assert!((found - expected).abs() < 1e-5, "{found}, {expected}");
    }
}

/// The logits are large and close to each other, so a statistic that is kept as a half would make the
/// gradient wrong.
#[test]
fn gradients_of_halves_are_as_exact_as_their_storage() {
    let gradient = |dtype: DType| {
        let x = NdArray::cast(tensor(&[3, 8], DType::BF16), dtype).expect("floats convert");
        let target = TensorData::new(vec![1i64, 0, 7], [3]).expect("as many as the shape says");
        let target = Grad::from_data(target, &Default::default()).expect("the cpu takes ints");
        let x = <Grad as Backend>::Tensor::from_inner(x).require_grad();
        let loss = Grad::cross_entropy(x.clone(), target).expect("the op runs");
        numbers(loss.backward().expect("a gradient").get(&x).expect("x has one"))
    };
    for (half, exact) in gradient(DType::BF16).iter().zip(gradient(DType::F64)) {
        assert!((half - exact).abs() < 0.01 * exact.abs() + 1e-6, "{half}, {exact}");
    }
}

/// The values are large and close to each other, so that the gradient of the scores is a small difference. A
/// result that was rounded to a half would be as far off as this difference is large.
#[test]
fn the_gradient_of_attention_in_halves_takes_the_result_as_computed() {
    let visible = Attention.spec().graph().visible();
    let gradients = |dtype: DType| {
        let args = [(0.0, [5, 4]), (0.0, [6, 4]), (20.0, [6, 3])].map(|(middle, shape)| {
            let half = NdArray::cast(around(middle, &shape, DType::F16), dtype).expect("floats convert");
            <Grad as Backend>::Tensor::from_inner(half).require_grad()
        });
        let [q, k, v] = args.clone().map(Value::Tensor);
        let out = Grad::run(&Attention, vec![q, k, v], &visible).expect("the op runs");
        let out = out.into_iter().flatten().next().expect("asked for");
        let gradients = out.backward().expect("a gradient");
        args.map(|arg| numbers(gradients.get(&arg).expect("it is tracked")))
    };
    let [found, exact] = [DType::F16, DType::F64].map(gradients);
    for (found, exact) in found.iter().zip(&exact) {
        let largest = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() <= 1e-3 * largest, "{found}, {exact}, {largest}");
        }
    }
}
