//! The user's tensor: its functions, and that every misuse is an `Err`.

use ndarray::{ArrayD, IxDyn, array};
use tensor_op::{DType, Device, ErrorKind, Result, Shape, Tensor, TensorData};

fn cpu() -> Device {
    Device::default()
}

/// 0, 1, 2, .. in f64.
fn count(shape: &[usize]) -> Tensor {
    let elements = (0..shape.iter().product()).map(|i: usize| i as f64).collect();
    Tensor::from_vec(elements, shape, &cpu()).expect("as many as the shape says")
}

fn ints(elements: &[i64]) -> Tensor {
    Tensor::from_vec(elements.to_vec(), [elements.len()], &cpu()).expect("as many as the shape says")
}

fn floats(tensor: Result<Tensor>) -> (Vec<usize>, Vec<f64>) {
    let tensor = tensor.expect("a right call");
    (tensor.shape().to_vec(), tensor.to_vec().expect("floats"))
}

#[test]
fn created_tensors_hold_what_was_asked_for() -> Result<()> {
    let device = cpu();
    assert_eq!(device, Device::new("cpu")?);
    assert_eq!(floats(Tensor::zeros([2, 2], DType::F64, &device)), (vec![2, 2], vec![0.0; 4]));
    assert_eq!(Tensor::ones([3], DType::I32, &device)?.to_vec::<i32>()?, [1; 3]);
    assert_eq!(Tensor::ones([1], DType::Bool, &device)?.to_vec::<bool>()?, [true]);
    assert_eq!(Tensor::full([2], 2.5f32, &device)?.to_vec::<f32>()?, [2.5; 2]);
    assert_eq!(Tensor::scalar(7i64, &device)?.item::<i64>()?, 7);
    assert_eq!(floats(Tensor::eye(2, DType::F64, &device)), (vec![2, 2], vec![1.0, 0.0, 0.0, 1.0]));
    assert_eq!(Tensor::eye(0, DType::F32, &device)?.shape(), [0, 0]);
    assert_eq!(floats(Tensor::arange(0.0, 1.0, 0.25, &device)).1, [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(Tensor::arange(5i64, -1, -2, &device)?.to_vec::<i64>()?, [5, 3, 1]);
    assert_eq!(Tensor::arange(i64::MIN, i64::MAX, i64::MAX, &device)?.elements(), 3);
    assert_eq!(Tensor::arange(3i64, 3, 1, &device)?.shape(), [0]);
    Ok(())
}

/// Tokenizers give ids of u32.
#[test]
fn ids_of_u32_index_and_wrap() -> Result<()> {
    let device = cpu();
    let ids = Tensor::from_vec(vec![2u32, 0, u32::MAX], [3], &device)?;
    assert_eq!((&ids + 1)?.to_vec::<u32>()?, [3, 1, 0]);
    assert_eq!(ids.cast(DType::I64)?.to_vec::<i64>()?, [2, 0, i64::from(u32::MAX)]);
    let table = Tensor::from_vec(vec![0.0f32, 1.0, 2.0], [3, 1], &device)?;
    let rows = tensor_op::catalogue::nn::embedding(&table, ids.slice(0, 0..2)?)?;
    assert_eq!(rows.to_vec::<f32>()?, [2.0, 0.0]);
    Ok(())
}

#[test]
fn random_tensors_repeat_with_the_seed() -> Result<()> {
    let device = cpu();
    let draw = || -> Result<Vec<f64>> {
        device.seed(7);
        let uniform = Tensor::uniform([500], -1.0, 2.0, DType::F64, &device)?.to_vec::<f64>()?;
        assert!(uniform.iter().all(|x| (-1.0..2.0).contains(x)));
        let normal = Tensor::normal([500], 10.0, 0.5, DType::F64, &device)?.to_vec::<f64>()?;
        assert!((normal.iter().sum::<f64>() / 500.0 - 10.0).abs() < 0.2);
        Ok([uniform, normal].concat())
    };
    let first = draw()?;
    assert_eq!(first, draw()?);
    assert!(first[..500].iter().zip(&first[1..500]).all(|(a, b)| a != b));
    Ok(())
}

/// Each test runs on its own thread.
#[test]
fn seeded_draws_do_not_depend_on_other_threads() -> Result<()> {
    let device = cpu();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                device.seed(1);
                Tensor::normal([3], 0.0, 1.0, DType::F32, &device).expect("a right call");
            }
        });
        let draw = || {
            device.seed(7);
            let two = [(); 2].map(|()| Tensor::uniform([2], 0.0, 1.0, DType::F64, &device));
            two.map(|drawn| drawn.and_then(|drawn| drawn.to_vec::<f64>()).expect("a right call"))
        };
        let first = draw();
        let differ = (0..500).filter(|_| draw() != first).count();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(differ, 0);
    });
    Ok(())
}

#[test]
fn elements_move_as_numpy_moves_them() -> Result<()> {
    let x = count(&[2, 3]);
    assert_eq!(floats(x.reshape([3, -1])), (vec![3, 2], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    assert_eq!(x.reshape(x.shape())?.shape(), [2, 3]);
    assert_eq!(x.reshape(&[6usize][..])?.shape(), [6]);
    assert_eq!(x.reshape(vec![1usize, 6, 1])?.shape(), [1, 6, 1]);
    assert_eq!(floats(x.permute([1, 0])), (vec![3, 2], vec![0.0, 3.0, 1.0, 4.0, 2.0, 5.0]));
    assert_eq!(floats(x.transpose(-1, 0)), floats(x.permute([-1, -2])));
    assert_eq!(floats(x.slice(1, 1..)), (vec![2, 2], vec![1.0, 2.0, 4.0, 5.0]));
    assert_eq!(floats(x.slice(-1, ..-1)), (vec![2, 2], vec![0.0, 1.0, 3.0, 4.0]));
    assert_eq!(floats(x.slice(1, 1..=1)), (vec![2, 1], vec![1.0, 4.0]));
    assert_eq!(floats(x.slice_step(1, .., 2)), (vec![2, 2], vec![0.0, 2.0, 3.0, 5.0]));
    assert_eq!(x.slice(0, 1..1)?.shape(), [0, 3]);
    assert_eq!(floats(count(&[2, 1]).broadcast_to([2, 2, 2])).1, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!(count(&[]).broadcast_to([2, 0])?.shape(), [2, 0]);
    assert_eq!(x.unsqueeze(-1)?.shape(), [2, 3, 1]);
    assert_eq!(x.unsqueeze(0)?.squeeze(0)?.shape(), [2, 3]);
    assert_eq!(floats(Tensor::cat(&[&x, &x.slice(1, ..1)?], -1)).1, [0.0, 1.0, 2.0, 0.0, 3.0, 4.0, 5.0, 3.0]);
    assert_eq!(floats(Tensor::stack(&[count(&[2]), count(&[2])], 1)), (vec![2, 2], vec![0.0, 0.0, 1.0, 1.0]));
    assert_eq!(
        Tensor::from_vec(vec![-1.9, f64::NAN], [2], &cpu())?.cast(DType::I64)?.to_vec::<i64>()?,
        [-1, 0]
    );
    Ok(())
}

#[test]
fn operators_take_tensors_scalars_and_results() -> Result<()> {
    let x = count(&[3]);
    assert_eq!(floats(&x + &x).1, [0.0, 2.0, 4.0]);
    assert_eq!(floats(&x - 1.0).1, [-1.0, 0.0, 1.0]);
    assert_eq!(floats(2 * &x).1, [0.0, 2.0, 4.0]);
    assert_eq!(floats(1.0 / (&x + 1)?).1, [1.0, 0.5, 1.0 / 3.0]);
    assert_eq!(floats(-x.clone()).1, [-0.0, -1.0, -2.0]);
    assert_eq!(floats(&x * (&x + 1.0)).1, [0.0, 2.0, 6.0]);
    assert_eq!(floats((&x + 1.0) / &x.slice(0, 1..2)?).1, [1.0, 2.0, 3.0]);
    assert_eq!(floats(&count(&[2, 1]) + &x), (vec![2, 3], vec![0.0, 1.0, 2.0, 1.0, 2.0, 3.0]));
    let n = ints(&[7, -7, 5]);
    assert_eq!((&n + 1)?.to_vec::<i64>()?, [8, -6, 6]);
    assert_eq!((&n / 2)?.to_vec::<i64>()?, [3, -3, 2]);
    assert_eq!((100 - (&n * &n)?)?.to_vec::<i64>()?, [51, 51, 75]);
    assert_eq!((-&n)?.dtype(), DType::I64);
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::I32, DType::U8] {
        let x = Tensor::ones([4], dtype, &cpu())?;
        let sum = (&x + &x)?;
        assert_eq!((sum.dtype(), sum.cast(DType::F64)?.to_vec::<f64>()?), (dtype, vec![2.0; 4]));
    }
    Ok(())
}

#[test]
fn arrays_become_tensors_and_back() -> Result<()> {
    let array = array![[1.0f32, 2.0], [3.0, 4.0]];
    let address = array.as_ptr();
    let tensor = Tensor::from_array(array.clone().reversed_axes(), &cpu())?;
    assert_eq!(tensor.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(ArrayD::<f32>::try_from(&tensor)?, array.clone().reversed_axes().into_dyn());
    let back: ArrayD<f32> = Tensor::try_from(array)?.try_into()?;
    assert_eq!(back.as_ptr(), address, "the buffer went there and back without a copy");
    let error = ArrayD::<f64>::try_from(&tensor).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DType);
    Ok(())
}

#[test]
fn printed_as_ndarray_prints() -> Result<()> {
    let x = count(&[2, 3]);
    let array = ArrayD::from_shape_vec(IxDyn(&[2, 3]), x.to_vec::<f64>()?).expect("six elements");
    assert_eq!(x.to_string(), array.to_string());
    assert_eq!(format!("{x:.2}"), format!("{array:.2}"));
    assert_eq!(x.transpose(0, 1)?.to_string(), "[[0, 3],\n [1, 4],\n [2, 5]]");
    assert_eq!(format!("{:?}", x.require_grad()), "Tensor(f64[2, 3], cpu, tracked)");
    assert_eq!(ints(&[1, 2]).to_string(), "[1, 2]");
    Ok(())
}

type Misuse = (&'static str, Result<Tensor>, ErrorKind);

#[test]
fn tensors_that_can_not_be_made_are_errors() {
    use ErrorKind::{DType as Type, Length, Overflow, Unsupported};
    let device = cpu();
    let huge = usize::MAX / 2;
    check_misuse(vec![
        ("from_vec: length", Tensor::from_vec(vec![1.0; 5], [2, 3], &device), Length),
        ("from_vec: overflow", Tensor::from_vec(vec![1.0], [huge, 4, 0], &device), Overflow),
        ("zeros: overflow", Tensor::zeros([huge, 4], DType::F32, &device), Overflow),
        ("zeros: bytes", Tensor::zeros([huge], DType::F32, &device), Overflow),
        ("full: bytes", Tensor::full([huge], 1i64, &device), Overflow),
        ("eye: too large", Tensor::eye(usize::MAX, DType::F32, &device), Overflow),
        ("eye: bytes", Tensor::eye(1 << 31, DType::F64, &device), Overflow),
        ("arange: step 0", Tensor::arange(0i64, 3, 0, &device), Overflow),
        ("arange: step 0.0", Tensor::arange(0.0, 3.0, 0.0, &device), Overflow),
        ("arange: NaN", Tensor::arange(0.0, f64::NAN, 1.0, &device), Overflow),
        ("arange: infinite", Tensor::arange(0.0, f64::INFINITY, 1.0, &device), Overflow),
        ("arange: endless", Tensor::arange(0.0, 1.0, 1e-300, &device), Overflow),
        ("arange: too many", Tensor::arange(i64::MIN, i64::MAX, 1, &device), Overflow),
        ("arange: bool", Tensor::arange(false, true, true, &device), Type),
        ("uniform: order", Tensor::uniform([2], 1.0, 0.0, DType::F32, &device), Unsupported),
        ("uniform: NaN", Tensor::uniform([2], f64::NAN, 0.0, DType::F32, &device), Unsupported),
        ("uniform: int", Tensor::uniform([2], 0.0, 1.0, DType::I64, &device), Type),
        ("normal: std", Tensor::normal([2], 0.0, -1.0, DType::F32, &device), Unsupported),
        ("normal: overflow", Tensor::normal([huge, 9], 0.0, 1.0, DType::F32, &device), Overflow),
        ("normal: NaN", Tensor::normal([2], 0.0, f64::NAN, DType::F32, &device), Unsupported),
        ("uniform: high beyond f32", Tensor::uniform([2], 0.0, 1e39, DType::F32, &device), Type),
        ("uniform: low beyond f16", Tensor::uniform([2], -1e5, 0.0, DType::F16, &device), Type),
        ("normal: mean beyond f16", Tensor::normal([2], 1e6, 1.0, DType::F16, &device), Type),
        ("normal: std beyond f16", Tensor::normal([2], 0.0, 1e4, DType::F16, &device), Type),
        ("normal: std beyond bf16", Tensor::normal([0], 0.0, 1e38, DType::BF16, &device), Type),
    ]);
}

#[test]
fn misuse_of_tensors_is_an_error() {
    use ErrorKind::{DType as Type, Device as Place, Index, Length, Overflow, Rank, Shape as Sizes};
    let device = cpu();
    let x = count(&[2, 3]);
    let n = ints(&[1, 2]);
    let truth = Tensor::ones([2], DType::Bool, &device).unwrap();
    let none: [Tensor; 0] = [];
    let huge = usize::MAX / 2;
    check_misuse(vec![
        ("reshape: count", x.reshape([4]), Sizes),
        ("reshape: no fit", x.reshape([4, -1]), Sizes),
        ("reshape: two inferred", x.reshape([-1, -1]), Sizes),
        ("reshape: -2", x.reshape([-2]), Sizes),
        ("reshape: 0 and -1", x.reshape([0, -1]), Sizes),
        ("reshape: overflow", x.reshape([i64::MAX, i64::MAX]), Overflow),
        ("permute: repeated", x.permute([0, -2]), Rank),
        ("permute: few", x.permute([0]), Rank),
        ("permute: many", x.permute([0, 1, 2]), Rank),
        ("permute: range", x.permute([0, i64::MIN]), Rank),
        ("transpose: range", x.transpose(0, 2), Rank),
        ("slice: axis", x.slice(2, ..), Rank),
        ("slice: end", x.slice(1, ..4), Index),
        ("slice: start", x.slice(1, -4..), Index),
        ("slice: order", x.slice(1, -1..1), Index),
        ("slice: extreme", x.slice(1, ..=i64::MAX), Index),
        ("slice: step", x.slice_step(1, .., 0), Index),
        ("broadcast_to: size", x.broadcast_to([2, 4]), Sizes),
        ("broadcast_to: rank", x.broadcast_to([3]), Sizes),
        ("broadcast_to: overflow", count(&[]).broadcast_to([huge, 4]), Overflow),
        ("squeeze: size", x.squeeze(0), Sizes),
        ("squeeze: axis", x.squeeze(-3), Rank),
        ("unsqueeze: axis", x.unsqueeze(3), Rank),
        ("unsqueeze: axis", x.unsqueeze(-4), Rank),
        ("cat: none", Tensor::cat(&none, 0), Length),
        ("cat: axis", Tensor::cat(&[&x], 2), Rank),
        ("cat: scalars", Tensor::cat(&[count(&[])], 0), Rank),
        ("cat: sizes", Tensor::cat(&[&x, &count(&[3, 3])], 1), Sizes),
        ("cat: ranks", Tensor::cat(&[&x, &count(&[3])], 0), Sizes),
        ("cat: dtypes", Tensor::cat(&[&count(&[2]), &n], 0), Type),
        ("stack: none", Tensor::stack(&none, 0), Length),
        ("stack: sizes", Tensor::stack(&[&x, &count(&[2, 2])], 0), Sizes),
        ("stack: axis", Tensor::stack(&[&x, &x], 3), Rank),
        ("add: sizes", &x + &count(&[2]), Sizes),
        ("add: dtypes", &count(&[2]) + &n, Type),
        ("add: bools", &truth + &truth, Type),
        ("mul: float beside ints", &n * 0.5, Type),
        ("mul: int that f64 can't hold", &x * (i64::MAX), Type),
        ("neg: bools", -&truth, Type),
        ("device: unknown", Device::new("tpu").and_then(|device| x.to(&device)), Place),
    ]);
}

fn check_misuse(cases: Vec<Misuse>) {
    for (name, result, kind) in cases {
        match result {
            Ok(tensor) => panic!("{name}: gave {tensor:?}"),
            Err(error) => {
                assert_eq!(error.kind(), kind, "{name}: {error}");
                let op = name.split(':').next().expect("a name before the colon");
                assert!(op == "device" || error.op() == Some(op), "{name}: the op is not named in `{error}`");
            }
        }
    }
}

/// Numbers far beyond any size, for which the result is nevertheless defined.
#[test]
fn huge_steps_and_sizes_are_not_computed_with() -> Result<()> {
    let x = count(&[2, 3]);
    for step in [3, isize::MAX as usize, usize::MAX / 2, usize::MAX] {
        assert_eq!(floats(x.slice_step(1, 1.., step)), (vec![2, 1], vec![1.0, 4.0]), "{step}");
        assert_eq!(x.slice_step(1, 3.., step)?.shape(), [2, 0], "{step}");
        assert_eq!(floats(x.transpose(0, 1)?.slice_step(-1, 1.., step)), (vec![3, 1], vec![3.0, 4.0, 5.0]));
        let tracked = x.clone().require_grad();
        let y = (tracked.slice_step(1, 1.., step)? * 2.0)?;
        let gradients = y.backward_with(&y.ones_like()?)?;
        assert_eq!(
            gradients.get(&tracked).expect("tracked").to_vec::<f64>()?,
            [0.0, 2.0, 0.0, 0.0, 2.0, 0.0]
        );
    }
    Ok(())
}

#[test]
fn misread_elements_are_an_error() {
    let x = count(&[2, 3]);
    assert_eq!(x.item::<f64>().unwrap_err().kind(), ErrorKind::Length);
    assert_eq!(x.to_vec::<i64>().unwrap_err().kind(), ErrorKind::DType);
    assert_eq!(ints(&[300]).to_vec::<u8>().unwrap_err().kind(), ErrorKind::DType);
    assert_eq!(Device::new("cpu:9").unwrap_err().kind(), ErrorKind::Device);
    assert!(TensorData::new(vec![1.0], Shape::new(&[2])).is_err());
}

#[test]
fn both_ways_to_pass_a_tensor() {
    fn takes(tensor: impl Into<Tensor>) -> usize {
        tensor.into().elements()
    }
    let x = count(&[2, 3]);
    assert_eq!((takes(&x), takes(x)), (6, 6));
}

/// A future outlives the tensor that it reads.
#[test]
fn a_sum_is_read_later() -> Result<()> {
    fn later(x: &Tensor) -> Result<impl Future<Output = Result<TensorData>> + use<>> {
        Ok((x + x)?.to_data_async())
    }
    let reading = later(&count(&[3]))?;
    assert_eq!(pollster::block_on(reading)?.into_vec::<f64>()?, [0.0, 2.0, 4.0]);
    Ok(())
}
