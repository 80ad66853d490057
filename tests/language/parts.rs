//! Parts of tensors by position, and the tensors that are made like others.

use tensor_op::{DType, Device, ErrorKind, Generator, Place, Result, Tensor, grad, jvp};

/// A tensor of 2 x 3 x 4 that counts from 0.
fn count() -> Tensor {
    Tensor::arange(0, 24, 1, &Device::default()).and_then(|x| x.reshape([2, 3, 4])).expect("24 elements")
}

fn part(tensor: Result<Tensor>) -> (Vec<usize>, Vec<i32>) {
    let tensor = tensor.expect("a right call");
    (tensor.shape().to_vec(), tensor.to_vec().expect("ints"))
}

/// As between the brackets of NumPy.
#[test]
fn positions_remove_axes_and_ranges_keep_them() {
    let x = count();
    assert_eq!(part(x.i((1, 2, 3))), (vec![], vec![23]));
    assert_eq!(part(x.i((0, 1))), (vec![4], vec![4, 5, 6, 7]));
    assert_eq!(part(x.i((-1, -1, ..2))), (vec![2], vec![20, 21]));
    assert_eq!(part(x.i((.., 0, 1..3))), (vec![2, 2], vec![1, 2, 13, 14]));
    assert_eq!(part(x.i((1.., 1..=1, -1))), (vec![1, 1], vec![19]));
    assert_eq!(part(x.i((.., .., -1))), (vec![2, 3], vec![3, 7, 11, 15, 19, 23]));
    assert_eq!(part(x.i(1)).0, [3, 4]);
    assert_eq!(part(x.i(0..1)).0, [1, 3, 4]);
    assert_eq!(part(x.i((.., 3..))).0, [2, 0, 4]);
    assert_eq!(part(x.i(..)).0, [2, 3, 4]);
    assert_eq!(part(x.i((0, 0, ..=-2))).1, [0, 1, 2]);
    let last = x.shape()[1] - 1;
    assert_eq!(part(x.i((0i64, last, 0usize..1))).1, [8]);
    assert_eq!(part(x.i(&[Place::At(0), Place::At(2)][..])).1, [8, 9, 10, 11]);
    assert_eq!(part(x.i(&[][..])).0, [2, 3, 4]);
    assert_eq!(part(x.select(1, -1)), part(x.i((.., 2))));
}

#[test]
fn positions_out_of_range_are_errors() {
    let x = count();
    let message = |result: Result<Tensor>| result.expect_err("a wrong call").to_string();
    assert_eq!(message(x.i(2)), "i: 2 is out of range for axis 0 of size 2");
    assert_eq!(message(x.i((0, -4))), "i: -4 is out of range for axis 1 of size 3");
    assert_eq!(message(x.i((0, 0, 1..6))), "i: 6 is out of range for axis 2 of size 4");
    assert_eq!(message(x.i((-1..0,))), "i: the range from 1 to 0 of axis 0 ends before it starts");
    assert_eq!(message(x.i((0, 0, 0, 0))), "i: 4 places for shape [2, 3, 4], which has 3 axes");
    assert_eq!(message(x.select(2, 4)), "select: 4 is out of range for axis 2 of size 4");
    let message = x.i(usize::MAX).unwrap_err().to_string();
    assert!(message.contains("9223372036854775807 or more is out of range for axis 0"), "{message}");
    assert!(x.i(i64::MIN).is_err() && x.i(..=i64::MAX).is_err());
    assert!(Tensor::from([0f32; 0]).i(0).is_err());
    assert_eq!(x.i(7).unwrap_err().kind(), ErrorKind::Index);
}

#[test]
fn gradients_flow_into_parts() -> Result<()> {
    let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).require_grad();
    let y = (x.i((1, 0))? * x.i((0, 1))?)?;
    assert_eq!(y.backward()?[&x].to_vec::<f64>()?, [0.0, 3.0, 2.0, 0.0]);
    Ok(())
}

/// As in PyTorch.
#[test]
fn tensors_are_split() -> Result<()> {
    let x = Tensor::arange(0, 10, 1, &Device::default())?.reshape([2, 5])?;
    let sizes = |parts: Result<Vec<Tensor>>| -> Vec<usize> {
        parts.expect("a right call").iter().map(|part| part.shape()[1]).collect()
    };
    assert_eq!(sizes(x.split(2, 1)), [2, 2, 1]);
    assert_eq!(sizes(x.split(usize::MAX, -1)), [5]);
    assert_eq!(sizes(x.split_sizes(&[1, 0, 4], 1)), [1, 0, 4]);
    assert_eq!(sizes(x.chunk(3, -1)), [2, 2, 1]);
    assert_eq!(sizes(x.chunk(4, -1)), [2, 2, 1]);
    assert_eq!(sizes(x.chunk(7, -1)), [1; 5]);
    assert_eq!(x.split(2, 1)?[1].to_vec::<i32>()?, [2, 3, 7, 8]);
    assert_eq!(x.split_sizes(&[1, 4], 1)?[1].to_vec::<i32>()?, [1, 2, 3, 4, 6, 7, 8, 9]);
    let empty = Tensor::from([0f32; 0]);
    assert_eq!((empty.split(3, 0)?.len(), empty.chunk(3, 0)?.len()), (1, 1));
    let message = |error: tensor_op::Error| error.to_string();
    assert!(message(x.split(0, 1).unwrap_err()).starts_with("split: parts of size 0"));
    assert!(message(x.chunk(0, 1).unwrap_err()).starts_with("chunk: there are no 0 parts"));
    assert_eq!(
        message(x.split_sizes(&[1, 3], 1).unwrap_err()),
        "split_sizes: the sizes [1, 3] don't add up to 5, the size of axis 1"
    );
    assert!(x.split(1, 2).is_err() && x.chunk(1, -3).is_err() && x.split_sizes(&[2], 9).is_err());
    Ok(())
}

/// The gradient of what was replaced is zero, and that of new elements is summed where they broadcast.
#[test]
fn parts_are_assigned() -> Result<()> {
    let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).require_grad();
    let new = Tensor::from([[0.5], [0.25]]).require_grad();
    let y = (2.0 * &x)?.slice_assign((.., 1..), &new)?;
    assert_eq!(y.to_vec::<f64>()?, [2.0, 0.5, 0.5, 8.0, 0.25, 0.25]);
    let slopes = y.backward_with(Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))?;
    assert_eq!(slopes[&x].to_vec::<f64>()?, [2.0, 0.0, 0.0, 8.0, 0.0, 0.0]);
    assert_eq!(slopes[&new].to_vec::<f64>()?, [5.0, 11.0]);
    // Others who hold the tensor, or a view of it, don't see the change.
    let x = x.detach();
    let (other, view) = (x.clone(), x.transpose(0, 1)?);
    assert_eq!(x.slice_assign(0, Tensor::from([0.0]))?.to_vec::<f64>()?, [0.0, 0.0, 0.0, 4.0, 5.0, 6.0]);
    assert_eq!(other.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        view.slice_assign((2, ..), &other.i((1, 1..))?)?.to_vec::<f64>()?,
        [1.0, 4.0, 2.0, 5.0, 5.0, 6.0]
    );
    let message = |new: Tensor| other.clone().slice_assign((.., 1..3), new).unwrap_err().to_string();
    assert!(message(Tensor::from([1, 2])).contains("slice_assign"), "{}", message(Tensor::from([1, 2])));
    let wide = message(Tensor::from([1.0, 2.0, 3.0]));
    assert_eq!(
        wide,
        "slice_assign: shape [3] does not broadcast to [2, 2]: aligned at the end, sizes must be equal or 1"
    );
    assert!(other.clone().slice_assign((.., 3..4), Tensor::from([1.0])).is_err());
    assert!(other.slice_assign((.., 0, 0), Tensor::from([1.0])).is_err());
    Ok(())
}

/// Each part counts by another power of it, and the second one not at all.
#[test]
fn gradients_of_parts_are_joined() -> Result<()> {
    let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).require_grad();
    let parts = x.unbind(-1)?;
    assert_eq!(parts[1].to_vec::<f64>()?, [2.0, 5.0]);
    let y = (&parts[0] * &parts[0] * &parts[2])?.sum(..)?;
    assert_eq!(y.backward()?[&x].to_vec::<f64>()?, [6.0, 0.0, 1.0, 48.0, 0.0, 16.0]);
    let product = |x: &[Tensor]| {
        let parts = x[0].unbind(-1)?;
        (&parts[0] * &parts[0] * &parts[2])?.sum(..)
    };
    let twice = grad(|x| grad(product)(x)?.remove(0).sum(..))(&[x.detach()])?.remove(0);
    assert_eq!(twice.to_vec::<f64>()?, [8.0, 0.0, 2.0, 20.0, 0.0, 8.0]);
    let pieces = x.split_sizes(&[1, 0, 2], 1)?;
    let y = (pieces[0].sum(..)? + pieces[2].sum(..)? * 2.0)?;
    assert_eq!(y.backward()?[&x].to_vec::<f64>()?, [1.0, 2.0, 2.0, 1.0, 2.0, 2.0]);
    let (y, slope) = jvp(|x| x[0].unbind(0)?[1].sum(..), &[x.detach()], &[x.ones_like()?])?;
    assert_eq!((y.item::<f64>()?, slope.item::<f64>()?), (15.0, 3.0));
    assert_eq!(Tensor::zeros([2, 0], DType::F32, &Device::default())?.unbind(1)?.len(), 0);
    assert!(x.unbind(2).is_err());
    Ok(())
}

#[test]
fn axes_are_flattened() {
    let x = count();
    assert_eq!(part(x.flatten(0, -1)).0, [24]);
    assert_eq!(part(x.flatten(1, 2)).0, [2, 12]);
    assert_eq!(part(x.flatten(1, 1)).0, [2, 3, 4]);
    assert_eq!(part(x.i((0, 0, 0)).and_then(|x| x.flatten(0, -1))).0, [1]);
    assert!(x.flatten(2, 0).is_err() && x.flatten(0, 3).is_err());
}

#[test]
fn arrays_are_tensors() -> Result<()> {
    assert_eq!(part(Ok(Tensor::from([[1, 2], [3, 4]]))), (vec![2, 2], vec![1, 2, 3, 4]));
    assert_eq!(Tensor::from([[[[1.5f32]; 2]; 1]; 3]).shape(), [3, 1, 2, 1]);
    assert_eq!(Tensor::from([[0u8; 0]; 3]).shape(), [3, 0]);
    assert_eq!(Tensor::from([[0u8; 4]; 0]).shape(), [0, 4]);
    assert_eq!(Tensor::from([half::bf16::ONE]).dtype(), DType::BF16);
    assert_eq!(Tensor::from([1i64]).dtype(), DType::I64);
    assert!(Tensor::from([true]).item::<bool>()?);
    let x: Tensor = [1.0, 2.0].into();
    assert_eq!(x.dtype(), DType::F64);
    Ok(())
}

#[test]
fn tensors_are_made_like_others() -> Result<()> {
    let x = Tensor::from([[1f32, 2.0]]);
    assert_eq!((x.zeros_like()?.dtype(), x.zeros_like()?.shape().to_vec()), (DType::F32, vec![1, 2]));
    assert_eq!(x.ones_like()?.to_vec::<f32>()?, [1.0; 2]);
    assert_eq!(x.full_like(2.5)?.to_vec::<f32>()?, [2.5; 2]);
    assert_eq!(x.full_like(7)?.to_vec::<f32>()?, [7.0; 2]);
    assert_eq!(Tensor::from([0u8]).full_like(7)?.to_vec::<u8>()?, [7]);
    assert_eq!(Tensor::from([true]).full_like(false)?.to_vec::<bool>()?, [false]);
    assert!(!x.clone().require_grad().zeros_like()?.is_tracked());
    let message = Tensor::from([0u8]).full_like(256).unwrap_err().to_string();
    assert_eq!(message, "full_like: 256 is no u8; cast the tensor, or write a value that is one");
    assert!(Tensor::from([0]).full_like(0.5).is_err() && Tensor::from([true]).full_like(1).is_err());
    Ok(())
}

/// The first and the last element are exact.
#[test]
fn distances_between_floats_are_equal() -> Result<()> {
    let device = Device::default();
    let linspace = |start, end, count| Tensor::linspace(start, end, count, DType::F64, &device);
    assert_eq!(linspace(-10.0, 10.0, 5)?.to_vec::<f64>()?, [-10.0, -5.0, 0.0, 5.0, 10.0]);
    assert_eq!(linspace(3.0, 10.0, 1)?.to_vec::<f64>()?, [3.0]);
    assert_eq!(linspace(1.0, 0.0, 3)?.to_vec::<f64>()?, [1.0, 0.5, 0.0]);
    assert_eq!(linspace(0.0, 0.1, 4)?.to_vec::<f64>()?[3], 0.1);
    assert_eq!(linspace(0.0, 1.0, 0)?.shape(), [0]);
    assert!(linspace(0.0, f64::INFINITY, 2).is_err() && linspace(-f64::MAX, f64::MAX, 2).is_err());
    assert!(Tensor::linspace(0.0, 1.0, 2, DType::I64, &device).is_err());
    assert!(Tensor::linspace(0.0, 1.0, usize::MAX, DType::F32, &device).is_err());
    Ok(())
}

#[test]
fn permutations_have_each_number_once() -> Result<()> {
    let device = Device::default();
    let draw = |seed, count| Generator::new(seed).randperm(count, &device)?.to_vec::<i64>();
    let mut order = draw(1, 100)?;
    assert_eq!(order, draw(1, 100)?);
    assert_ne!(order, draw(2, 100)?);
    order.sort_unstable();
    assert_eq!(order, (0..100).collect::<Vec<i64>>());
    assert_eq!((draw(1, 0)?, draw(1, 1)?), (vec![], vec![0]));
    assert!(Tensor::randperm(usize::MAX, &device).is_err());

    // Each of the 6 orders of 3 numbers is as likely: of 6000 draws about 1000, with a deviation of 29.
    let generator = Generator::new(3);
    let mut found = std::collections::BTreeMap::new();
    for _ in 0..6000 {
        *found.entry(generator.randperm(3, &device)?.to_vec::<i64>()?).or_insert(0) += 1;
    }
    assert_eq!(found.len(), 6);
    assert!(found.values().all(|count| (850..1150).contains(count)), "{found:?}");

    device.seed(7);
    let first = Tensor::randperm(9, &device)?.to_vec::<i64>()?;
    device.seed(7);
    assert_eq!(first, Tensor::randperm(9, &device)?.to_vec::<i64>()?);
    Ok(())
}
