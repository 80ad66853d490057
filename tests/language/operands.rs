//! What may stand on each side of an operator and of a comparison, and what is an error.

use tensor_op::{Arithmetic, DType, Device, ErrorKind, Number, Operand, Result, Tensor};

fn floats(tensor: Result<Tensor>) -> Vec<f64> {
    tensor.and_then(|tensor| tensor.to_vec()).expect("a right call")
}

fn bools(tensor: Result<Tensor>) -> Vec<bool> {
    tensor.and_then(|tensor| tensor.to_vec()).expect("a right call")
}

#[test]
fn numbers_of_each_type_stand_on_both_sides() -> Result<()> {
    let x = Tensor::from([1f32, 2.0]);
    assert_eq!(floats(&x * 2f32), [2.0, 4.0]);
    assert_eq!(floats(&x * 2), [2.0, 4.0]);
    assert_eq!(floats(1 - x.clone()), [0.0, -1.0]);
    assert_eq!(floats(&x + 0.5), [1.5, 2.5]);
    assert_eq!(floats(&x / 2i64), [0.5, 1.0]);
    assert_eq!(floats(&x - 3usize), [-2.0, -1.0]);
    assert_eq!(floats(&x / 4u32), [0.25, 0.5]);
    assert_eq!(floats(&x - 1u8), [0.0, 1.0]);
    assert_eq!(floats(2.0 - &x), [1.0, 0.0]);
    // Literals have a type at once, so that methods can follow.
    assert_eq!(((2 * &x)? - 1)?.to_vec::<f32>()?, [1.0, 3.0]);
    assert_eq!(((1.0 / &x)? + 0.5)?.to_vec::<f32>()?, [1.5, 1.0]);
    let places = Tensor::from([1u8, 255]);
    assert_eq!((&places + 1)?.to_vec::<u8>()?, [2, 0]);
    assert_eq!((2 * &places)?.dtype(), DType::U8);
    Ok(())
}

#[test]
fn results_stand_beside_tensors_and_in_chains() {
    let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 5.0]));
    assert_eq!(floats((&a * &b) + &a), [4.0, 12.0]);
    assert_eq!(floats(&a - (&a * &b)), [-2.0, -8.0]);
    assert_eq!(floats(a.clone() * (&a + 1)), [2.0, 6.0]);
    assert_eq!(floats((&a * &a).add(&b * &b)), [10.0, 29.0]);
    assert_eq!(floats((&a + &b).sub(1).mul(2.0).div(&b).neg()), [-2.0, -2.4]);
    assert_eq!(floats((&a + &b).mul(b.clone())), [12.0, 35.0]);
}

#[test]
fn the_first_error_is_the_result() {
    let (a, wide) = (Tensor::from([1.0, 2.0]), Tensor::from([1.0, 2.0, 3.0]));
    let first = (&a + &wide).unwrap_err().to_string();
    assert!(first.starts_with("add: `x`") || first.starts_with("add: `y`"), "{first}");
    assert_eq!((&a + &wide).mul(&a + Tensor::from([1])).unwrap_err().to_string(), first);
    let second = (&a + &a).mul(&a - Tensor::from([1])).unwrap_err().to_string();
    assert_eq!(second, "sub: `x` is f64, `y` is i32; cast one of them");
}

#[test]
fn numbers_without_an_exact_value_are_refused() {
    let ints = Tensor::from([1i32, 2]);
    let message = |result: Result<Tensor>| {
        let error = result.expect_err("a wrong call");
        assert_eq!(error.kind(), ErrorKind::DType);
        error.to_string()
    };
    let wanted = "mul: 0.5 is a float, and the tensor is i32: cast the tensor";
    assert_eq!(message(&ints * 0.5), wanted);
    assert_eq!(message(0.5 * &ints), wanted);
    assert_eq!(message((&ints + 1).mul(0.5)), wanted);
    assert!(
        message(&ints + 3_000_000_000i64).contains("3000000000 has no exact value beside a tensor of i32")
    );
    assert!(message(&Tensor::from([1i64]) + usize::MAX).contains("no exact value beside a tensor of i64"));
    assert!(message(&Tensor::from([1.0]) * (1i64 << 53 | 1 << 54 | 1)).contains("no exact value"));
    assert!(message(&Tensor::from([true]) + 1).contains("tensors of bool have no arithmetic"));
    assert!(message(ints.gt(0.5)).starts_with("gt: 0.5 is a float"));
    assert!(message(ints.remainder(0.5)).starts_with("remainder: 0.5 is a float"));
    let wanted = "add: 2.0 is a float, and the tensor is i32: write 2, or cast the tensor";
    assert_eq!(message(&ints + 2.0), wanted);
    let flags = Tensor::from([true]);
    assert_eq!(message(flags.eq(0.5)), "eq: 0.5 is a float, and the tensor is bool: cast the tensor");
    assert!(message(flags.eq(300)).contains("300 has no exact value beside a tensor of bool"));
}

/// An f64 holds these numbers. Then they are rounded as other numbers are.
#[test]
fn whole_numbers_beside_floats() -> Result<()> {
    assert_eq!(floats(&Tensor::from([0.0]) + (1i64 << 60)), [1152921504606846976.0]);
    assert_eq!(bools(Tensor::from([16777216f32]).eq(16777217)), [true]);
    assert_eq!(bools(Tensor::from([16777216.0]).eq(16777217)), [false]);
    Ok(())
}

/// PyTorch gives the same.
#[test]
fn comparisons_round_numbers_to_the_dtype() -> Result<()> {
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let x = Tensor::from([0.1]).cast(dtype)?;
        assert_eq!(bools(x.eq(0.1)), [true], "{dtype}");
        assert_eq!(bools(x.lt(0.1)), [false], "{dtype}");
        assert_eq!(bools(x.ge(0.1)), [true], "{dtype}");
        // What the dtype can't hold is no infinity.
        let infinite = Tensor::from([f64::INFINITY]).cast(dtype)?;
        assert_eq!(bools(infinite.eq(1e5)), [false], "{dtype}");
    }
    Ok(())
}

/// As in PyTorch, a comparison with NaN is false, and `ne` is true.
#[test]
fn comparisons_give_bools() -> Result<()> {
    let (x, y) = (Tensor::from([1.0, 2.0, f64::NAN]), Tensor::from([2.0, 2.0, f64::NAN]));
    assert_eq!(bools(x.eq(&y)), [false, true, false]);
    assert_eq!(bools(x.ne(&y)), [true, false, true]);
    assert_eq!(bools(x.lt(&y)), [true, false, false]);
    assert_eq!(bools(x.le(&y)), [true, true, false]);
    assert_eq!(bools(x.gt(1)), [false, true, false]);
    assert_eq!(bools(x.ge(1.0f32)), [true, true, false]);
    assert_eq!(bools(x.eq(&x - 0)), [true, true, false]);
    let column = Tensor::from([[0i64], [2]]);
    assert_eq!(column.lt(Tensor::from([1u8, 3]))?.shape(), [2, 2]);
    assert_eq!(bools(column.lt(Tensor::from([1u8, 3]))), [true, true, false, true]);
    assert_eq!(bools(column.ne(2)), [true, false]);
    let flags = Tensor::from([true, false]);
    assert_eq!(bools(flags.eq(Tensor::from([false, false]))), [false, true]);
    assert_eq!(bools(flags.lt(1)), [false, true]);
    assert!(x.eq(&column).is_err());
    Ok(())
}

/// As in Python.
#[test]
fn quotients_are_rounded_down() -> Result<()> {
    let x = Tensor::from([7i64, -7, 5]);
    assert_eq!(x.floor_div(2)?.to_vec::<i64>()?, [3, -4, 2]);
    assert_eq!(x.remainder(3)?.to_vec::<i64>()?, [1, 2, 2]);
    assert_eq!(x.remainder(Tensor::from([-4i64, 4, 0]))?.to_vec::<i64>()?, [-1, 1, 0]);
    let y = Tensor::from([7.5, -7.5]);
    assert_eq!(floats(y.floor_div(2)), [3.0, -4.0]);
    assert_eq!(floats(y.remainder(Tensor::from([2.0, 2.0]))), [1.5, 0.5]);
    Ok(())
}

/// As in Rust and in formulas.
#[test]
fn a_rest_has_the_sign_of_the_dividend() -> Result<()> {
    let x = Tensor::from([7i64, -7, 5]);
    assert_eq!((&x % 3)?.to_vec::<i64>()?, [1, -1, 2]);
    assert_eq!((&x % Tensor::from([-4i64, 4, 0]))?.to_vec::<i64>()?, [3, -3, 0]);
    assert_eq!((9 % &x)?.to_vec::<i64>()?, [2, 2, 4]);
    assert_eq!(floats(&Tensor::from([7.5, -7.5]) % 2), [1.5, -1.5]);
    assert_eq!(floats((&x + 1).and_then(|y| y % &x).and_then(|y| y.cast(DType::F64))), [1.0, -6.0, 1.0]);
    let error = (&Tensor::from([true]) % 2).unwrap_err();
    assert!(error.to_string().starts_with("rem: tensors of bool have no arithmetic"), "{error}");
    Ok(())
}

#[test]
fn bits_and_bools_have_operators() -> Result<()> {
    let (x, y) = (Tensor::from([6, 3]), Tensor::from([3, 1]));
    assert_eq!((&x & &y)?.to_vec::<i32>()?, [2, 1]);
    assert_eq!((&x | &y)?.to_vec::<i32>()?, [7, 3]);
    assert_eq!((x.clone() ^ y.clone())?.to_vec::<i32>()?, [5, 2]);
    assert_eq!((!&x)?.to_vec::<i32>()?, [-7, -4]);
    assert_eq!((&x & 4)?.to_vec::<i32>()?, [4, 0]);
    let (a, b) = (Tensor::from([true, true, false]), Tensor::from([true, false, false]));
    assert_eq!(bools(&a & &b), [true, false, false]);
    assert_eq!(bools(&a | (&b ^ &a)), [true, true, false]);
    assert_eq!(bools((!&b)? & a.clone()), [false, true, false]);
    assert_eq!(bools(&a ^ 1), [false, false, true]);
    let message = |result: Result<Tensor>| result.expect_err("a wrong call").to_string();
    assert_eq!(message(&a & &x), "bitand: `x` is bool, `y` is i32; cast one of them");
    let float = Tensor::from([1.0]);
    assert_eq!(
        message(&float | &float),
        "bitor: a tensor of f64 has no bits; cast it to an int, or compare it"
    );
    assert_eq!(message(!&float), "not: a tensor of f64 has no bits; cast it to an int, or compare it");
    assert!(message(&a & 2).contains("pass 0 or 1"), "{}", message(&a & 2));
    assert!(message(&x & 0.5).contains("pass a whole number"), "{}", message(&x & 0.5));
    Ok(())
}

#[test]
fn a_result_may_grow() -> Result<()> {
    let (x, y) = (Tensor::from([5.0, 2.0]), Tensor::from([2.0, 1.0]));
    let mut total = &x + &y;
    total += &x;
    total -= y.clone();
    total *= &y;
    total /= &x;
    total %= Tensor::from([3.0, 3.0]);
    assert_eq!(floats(total), [1.0, 2.0]);
    let mut wrong = &x + &Tensor::from([1]);
    let first = wrong.as_ref().unwrap_err().to_string();
    wrong += &Tensor::from([1.0, 2.0, 3.0]);
    assert_eq!(wrong.unwrap_err().to_string(), first);
    Ok(())
}

/// A function of the user may take what operators take.
#[test]
fn operands_are_values() -> Result<()> {
    use tensor_op::IntoOperand;
    let x = Tensor::zeros([2], DType::F32, &Device::default())?;
    assert!(matches!(2usize.into_operand()?, Operand::Number(Number::Int(2))));
    assert!(matches!((&x + 1).into_operand()?, Operand::Tensor(_)));
    assert!((&x + &Tensor::from([1])).into_operand().is_err());
    Ok(())
}
