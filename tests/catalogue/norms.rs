//! Norms with running statistics, and along any axis. All numbers are those of PyTorch 2.15 in f64.

use super::check::{assert_near, check, numbers, wave};
use tensor_op::catalogue::norm::{batch_norm, instance_norm, layer_norm, normalize, rms_norm, weight_norm};
use tensor_op::prelude::*;

#[test]
fn running_statistics_move_as_in_pytorch() -> Result<()> {
    let (mean, var) = (wave(4, &[3]), (wave(4, &[3]).square()? + 1)?);
    let (weight, bias) = (wave(6, &[3]), wave(7, &[3]));
    let norm = |x: &Tensor| batch_norm(x, &mean, &var, &weight, &bias, true, 0.25, 1e-3);
    check(
        |x| norm(x).map(|(y, ..)| y),
        &wave(1, &[2, 3, 2]),
        &numbers(
            "1.0633818145476135 -0.97007272182142 -0.302815587530617 -1.5809870103911523 \
            2.736209077032216 2.736209077032216 -1.7834545363690335 2.69014544364284 \
            -1.3485922062346913 -0.7676051958435389 -0.5064289092198908 0.03401075515546026",
        ),
        &numbers("0.0 0.0 0.0 0.0 -0.0 -0.0 0.0 0.0 0.0 0.0 -0.0 -0.0"),
    );
    let (_, new_mean, new_var) = norm(&wave(1, &[2, 3, 2]))?;
    let new = |x: Option<Tensor>| x.expect("they were passed").to_vec::<f64>();
    assert_near(&new(new_mean)?, &[0.4375, -0.5, 1.234375]);
    assert_near(&new(new_var)?, &[1.3229166666666667, 1.5572916666666667, 2.59765625]);
    let norm = |x: &Tensor| instance_norm(x, &mean, &var, &weight, &bias, None, 0.25, 1e-3);
    check(
        |x| norm(x).map(|(y, ..)| y),
        &wave(1, &[2, 3, 2]),
        &numbers(
            "1.997764291645465 -1.497764291645465 -0.5001321789726353 -1.4998678210273644 1.25 \
            1.25 -1.4995373735957762 1.9995373735957762 -1.4993612261844185 -0.5006387738155814 \
            -0.20418762686777647 2.7041876268677782",
        ),
        &numbers("0.0 0.0 0.0 0.0 -0.0 -0.0 0.0 0.0 0.0 0.0 -0.0 -0.0"),
    );
    let (_, new_mean, new_var) = norm(&wave(1, &[2, 3, 2]))?;
    assert_near(&new(new_mean)?, &[0.4375, -0.5, 1.234375]);
    assert_near(&new(new_var)?, &[1.5078125, 1.7421875, 2.44140625]);
    Ok(())
}

#[test]
fn weights_are_normalized_along_any_axis() {
    let g = wave(8, &[1, 3, 1]);
    check(
        |v| weight_norm(v, &g, 1),
        &wave(1, &[2, 3, 2]),
        &numbers(
            "-0.4246038878042233 0.2830692585361489 1.3870393668271297 -0.792593923901217 \
            0.038124642583151166 0.038124642583151166 0.5661385170722978 -0.9907424048765211 \
            -0.3962969619506085 0.5944454429259127 -0.19062321291575585 -0.15249857033260467",
        ),
        &numbers(
            "-0.4790402836765597 -0.6242040060027898 0.5080730281418058 0.9551772929065948 \
            -0.17732391899140076 -0.17732391899140076 -0.6822694949332819 -0.36290930581557557 \
            0.8738856084039058 0.6706563971471836 -0.028371827038624106 -0.05319717569742023",
        ),
    );
    check(|v| weight_norm(v, wave(8, &[2]), None), &wave(9, &[2]), &[-1.25, 1.75], &[0.0, 0.0]);
}

/// Halves have the `eps` of f32, and f32 its own.
#[test]
fn the_mean_square_is_made_larger_by_the_epsilon_of_the_dtype() -> Result<()> {
    for (dtype, wanted) in [(DType::F16, 0.9453125), (DType::F32, 0.9452449083328247)] {
        let x = Tensor::full([1, 4], 1e-3, &Device::default())?.cast(dtype)?;
        let y = rms_norm(&x, [4], None, None)?.to_vec::<f64>()?;
        assert!(y.iter().all(|y| (y - wanted).abs() < 1e-6), "{y:?}");
    }
    Ok(())
}

#[test]
fn norms_without_statistics_are_errors() -> Result<()> {
    let (x, one) = (wave(1, &[1, 3]), wave(2, &[3]));
    let none = None::<Tensor>;
    let batch = |mean: Option<Tensor>, var: Option<Tensor>, training: bool| {
        batch_norm(&x, mean, var, None, None, training, None, None).unwrap_err().to_string()
    };
    assert_eq!(
        batch(none.clone(), none.clone(), true),
        "batch_norm: `input` has shape [1, 3], with 1 elements in a channel; two or more have a variance"
    );
    assert_eq!(
        batch(none.clone(), none.clone(), false),
        "batch_norm: there are no running statistics: pass `running_mean` and `running_var`"
    );
    assert_eq!(
        batch(Some(one.clone()), none, false),
        "batch_norm: `running_mean` is there without `running_var`: pass both or none"
    );
    let same = x.instance_norm(None, None, None, None, None, None, None).unwrap_err().to_string();
    assert!(same.starts_with("instance_norm: `input` has shape [1, 3], with 1 elements"), "{same}");
    // A row has channels only.
    let (y, ..) = batch_norm(&one, &one, one.square(), None, None, None, None, 0.0)?;
    assert_eq!(y.shape().to_vec(), [3]);
    let error = layer_norm(&x, [2], None, None, None).unwrap_err().to_string();
    assert!(
        error.starts_with("layer_norm: `normalized_shape`: is [2], and `input` has shape [1, 3]"),
        "{error}"
    );
    let error = rms_norm(&x, [3], wave(1, &[1, 3]), None).unwrap_err().to_string();
    assert!(error.starts_with("rms_norm: `weight`: has shape [1, 3]"), "{error}");
    let error = weight_norm(&x, &one, None).unwrap_err().to_string();
    assert!(error.starts_with("weight_norm: `g`: has shape [3], and one of [1, 1]"), "{error}");
    assert!(normalize(&x, f64::NAN, None, None).is_err() && normalize(&x, None, 2, None).is_err());
    Ok(())
}
