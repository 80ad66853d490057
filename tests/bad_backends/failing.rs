//! An `Err` or a panic of any function of a backend is an `Err` that names the backend. What is wrong with a
//! call of a backend of this project is told without it.

use super::hooked::{Hook, Hooked, Way, use_of};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tensor_op::backend::register_kernel;
use tensor_op::catalogue::nn::embedding;
use tensor_op::prelude::{Tensor, tensor_op};
use tensor_op::{Error, ErrorKind, NdArray, Result};

const HOOKS: [Hook; 28] = [
    Hook::NthDevice,
    Hook::Sync,
    Hook::Record,
    Hook::Replay,
    Hook::State,
    Hook::AllReduceMean,
    Hook::FromData,
    Hook::IntoData,
    Hook::IntoDataAsync,
    Hook::IntoDataAll,
    Hook::IntoDataAllAsync,
    Hook::ToDevice,
    Hook::Run,
    Hook::KernelByHand,
    Hook::Apply,
    Hook::Reduce,
    Hook::Matmul,
    Hook::Gather,
    Hook::ScatterAdd,
    Hook::Cast,
    Hook::Reshape,
    Hook::Permute,
    Hook::Expand,
    Hook::Slice,
    Hook::SliceAssign,
    Hook::Cat,
    Hook::Full,
    Hook::Random,
];

#[test]
fn each_function_names_its_backend() -> Result<()> {
    let [device, other] = Hooked::<0>::devices();
    let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).to(&device)?;
    for hook in HOOKS {
        for (way, words) in [(Way::Fails, "a driver says no"), (Way::Panics, "panicked: a driver is gone")] {
            Hooked::<0>::break_in(Some((hook, way)));
            let error = use_of(hook, &x, &other).err().unwrap_or_else(|| panic!("{hook:?} is not used"));
            let wanted = format!("the backend `hooked-0`: {words}");
            assert!(error.to_string().ends_with(&wanted), "{hook:?}: {error}");
            assert_eq!(error.backend(), Some("hooked-0"), "{hook:?}");
            Hooked::<0>::break_in(None);
            use_of(hook, &x, &other)?;
        }
    }
    assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    Ok(())
}

/// Functions that make a tensor which reaches the program as it is.
const MAKERS: [Hook; 12] = [
    Hook::AllReduceMean,
    Hook::FromData,
    Hook::ToDevice,
    Hook::Cast,
    Hook::Reshape,
    Hook::Permute,
    Hook::Expand,
    Hook::Slice,
    Hook::SliceAssign,
    Hook::Cat,
    Hook::Full,
    Hook::Random,
];

/// Functions of which an op is composed: its results are checked.
const PARTS: [Hook; 5] = [Hook::Apply, Hook::Reduce, Hook::Matmul, Hook::Gather, Hook::ScatterAdd];

#[test]
fn a_tensor_of_another_shape_is_an_error() -> Result<()> {
    let [device, other] = Hooked::<17>::devices();
    let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).to(&device)?;
    for hook in [Hook::Replay, Hook::State] {
        Hooked::<17>::break_in(Some((hook, Way::ReturnsAnother)));
        let error = use_of(hook, &x, &other).expect_err("there is one too many").to_string();
        assert!(error.contains("the backend `hooked-17`: made 2 tensors for 1"), "{hook:?}: {error}");
    }
    for hook in MAKERS.into_iter().chain(PARTS) {
        Hooked::<17>::break_in(Some((hook, Way::ReturnsAnother)));
        let error = use_of(hook, &x, &other).err().unwrap_or_else(|| panic!("{hook:?} is not checked"));
        assert_eq!(error.backend(), Some("hooked-17"), "{hook:?}: {error}");
        let words = "the backend `hooked-17`: made a tensor of shape [";
        assert!(error.to_string().contains(words) || PARTS.contains(&hook), "{hook:?}: {error}");
        Hooked::<17>::break_in(None);
        use_of(hook, &x, &other)?;
    }
    Ok(())
}

#[tensor_op(tests = false)]
#[no_grad]
fn doubled(x: Tensor) -> Tensor {
    x + x
}

#[test]
fn a_kernel_by_hand_for_the_cpu_names_it() -> Result<()> {
    register_kernel::<NdArray>(&Doubled, |_| Err(Error::new(ErrorKind::Shape, "no such size")))?;
    let error = doubled(Tensor::from([1.0])).expect_err("its kernel fails");
    assert_eq!(error.to_string(), "doubled: the backend `cpu`: no such size");
    Ok(())
}

#[test]
fn a_wrong_call_does_not_name_the_cpu() -> Result<()> {
    let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    let errors = [
        x.matmul(Tensor::from([[1.0, 2.0, 3.0]])),
        x.reshape([5]),
        x.slice(2, 0..1),
        embedding(&x, Tensor::from([2_i64])),
        &x + Tensor::from([1_i64]),
    ];
    for error in errors.map(|result| result.expect_err("it is wrong")) {
        assert!(error.backend().is_none() && !error.to_string().contains("backend"), "{error}");
    }
    Ok(())
}

/// The error of a step that is recorded is the program's own.
#[test]
fn an_error_of_the_program_is_not_one_of_the_backend() -> Result<()> {
    let [device, _] = Hooked::<1>::devices();
    let x = [Tensor::from([[1.0, 2.0]]).to(&device)?];
    let failing = |_: &[Tensor], _: &[Tensor]| Err(Error::new(ErrorKind::Name, "nothing to learn"));
    let error = tensor_op::capture(&x, &x, failing).expect_err("its step fails");
    assert_eq!(error.to_string(), "capture: nothing to learn");
    Ok(())
}

/// With a time limit and without one, the panic of a step goes on where the program called.
#[test]
fn a_panic_of_the_program_goes_on() -> Result<()> {
    let [device, _] = Hooked::<18>::devices();
    let x = [Tensor::from([[1.0, 2.0]]).to(&device)?];
    for limit in [None, Some(Duration::from_secs(60))] {
        device.set_time_limit(limit)?;
        let step = |_: &[Tensor], _: &[Tensor]| -> Result<(Vec<Tensor>, Vec<Tensor>)> { panic!("a bug") };
        let panic = catch_unwind(AssertUnwindSafe(|| tensor_op::capture(&x, &x, step).map(drop)));
        let panic = panic.expect_err("the step panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
        assert_eq!(x[0].to_vec::<f64>()?, [1.0, 2.0]);
    }
    Ok(())
}
