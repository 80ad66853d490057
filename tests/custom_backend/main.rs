//! The backend of `examples/custom-backend` does all that the conformance suite asks for, in f32 and in its
//! own bf16, and trains a network with the code that trains it on other devices.

#[path = "../../examples/digits/convolution.rs"]
mod convolution;
#[path = "../../examples/custom-backend/src/lib.rs"]
#[allow(unreachable_pub, unused_imports, reason = "a library of its own")]
mod custom_backend;
#[path = "../../examples/digits/data.rs"]
mod data;
#[path = "../../examples/digits/model.rs"]
#[allow(dead_code, reason = "one of its networks is trained")]
mod model;
#[path = "../../examples/digits/random.rs"]
mod random;
#[path = "../support/record.rs"]
mod record;
#[path = "../../examples/digits/recurrent.rs"]
mod recurrent;
#[path = "../support/run.rs"]
mod run;
#[path = "../../examples/digits/training.rs"]
mod training;

use model::Kind;
use std::error::Error;
use std::result::Result;
use tensor_op::catalogue::nn::{LayerNorm, RmsNorm, Softmax};
use tensor_op::prelude::{DType, Device, Tensor};
use tensor_op::testing::run_backend_tests_with;
use training::{EPOCHS, Training};

fn mine() -> Device {
    custom_backend::register().expect("the name is free");
    Device::new("mine:0").expect("it is registered")
}

#[test]
fn the_primitives_and_some_ops_conform() {
    let report = run_backend_tests_with(&mine(), &[&RmsNorm, &LayerNorm, &Softmax]);
    assert_eq!(report.passed, report.total, "{report}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn the_catalogue_conforms() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.txt");
    let report = run_backend_tests_with(&mine(), &run::ops(3, file));
    assert!(run::is_of_new() || report.total > 4000, "{} cases", report.total);
    run::is_recorded(&report, (file, "mine"), run::Wanted::Same, |_| None);
}

/// The values are those of `torch.nn.functional.rms_norm` in f64, and of its gradient for a seed of
/// `[[1, 0], [0, 1]]`; bf16 has 8 bits.
#[test]
fn rms_norm_is_that_of_pytorch() -> Result<(), Box<dyn Error>> {
    let (x, gamma) = ([1.0, -2.0, 3.0, 0.5], [2.0, 0.5]);
    let expected = [
        &[1.264911064067, -0.632455532034, 2.789943329852, 0.116247638744][..],
        &[1.011928851254, 0.505964425627, -0.037701936890, 0.226211621339][..],
        &[0.632455532034, 0.232495277488][..],
    ];
    for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::BF16, 1e-2)] {
        let place = |values: Vec<f64>, shape: &[usize]| -> tensor_op::Result<Tensor> {
            Tensor::from_vec(values, shape.to_vec(), &Device::default())?.cast(dtype)?.to(&mine())
        };
        let x = place(x.to_vec(), &[2, 2])?.require_grad();
        let gamma = place(gamma.to_vec(), &[2])?.require_grad();
        let y = x.rms_norm(&gamma, 0.0)?;
        assert_eq!((y.dtype(), y.device().name()), (dtype, "mine".to_string()));
        let gradients = y.backward_with(place(vec![1.0, 0.0, 0.0, 1.0], &[2, 2])?)?;
        let found = [y.detach(), gradients[&x].clone(), gradients[&gamma].clone()];
        for (found, expected) in found.iter().zip(&expected) {
            let found = found.cast(DType::F32)?.to_vec::<f32>()?;
            for (found, expected) in found.iter().zip(*expected) {
                let error = (f64::from(*found) - expected).abs();
                assert!(error <= tolerance * expected.abs(), "{found}, {expected}");
            }
        }
    }
    Ok(())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn it_trains_the_digits() -> Result<(), Box<dyn Error>> {
    for dtype in [DType::F32, DType::BF16] {
        let (train, test) = data::load(dtype, &mine())?;
        let mut training = Training::new(Kind::Dense, &train)?;
        for _ in 0..EPOCHS {
            training.epoch()?;
        }
        let accuracy = training.network.accuracy(&test)?;
        assert!(accuracy >= 0.97, "{accuracy} in {dtype}");
    }
    Ok(())
}
