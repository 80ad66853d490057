//! Options of losses and pads. All numbers are those of PyTorch 2.15 in f64.

use super::check::{check, numbers, tensor, wave};
use tensor_op::catalogue::losses::{
    cross_entropy, gaussian_nll_loss, kl_div_batchmean, multi_margin_loss, nll_loss, pairwise_distance,
    triplet_margin_loss,
};
use tensor_op::catalogue::padding::{PadMode, pad};
use tensor_op::prelude::*;
use tensor_op::{Number, Reduction};

const INF: f64 = f64::INFINITY;

#[test]
fn losses_of_classes_have_the_options_of_pytorch() -> Result<()> {
    let (target, one) = (tensor(&[2_i64, 0], &[2]), tensor(&[1_i64], &[]));
    let weight = wave(6, &[3]).abs()?;
    check(
        |x| multi_margin_loss(x, &target, 2, 0.5, &weight, None),
        &wave(1, &[2, 3]),
        &[0.9114583333333334],
        &numbers("0.0 0.0 0.0 -1.4583333333333333 0.7291666666666666 0.7291666666666666"),
    );
    check(
        |x| multi_margin_loss(x, &target, None, None, None, Reduction::None),
        &wave(1, &[2, 3]),
        &[0.0, 1.1666666666666667],
        &numbers("0.0 0.0 0.0 -0.6666666666666666 0.3333333333333333 0.3333333333333333"),
    );
    check(
        |x| multi_margin_loss(x, &one, None, None, None, Reduction::None),
        &wave(1, &[3]),
        &[1.8333333333333333],
        &[0.3333333333333333, -0.6666666666666666, 0.3333333333333333],
    );
    check(
        |x| cross_entropy(x, &one, &weight, None, Reduction::None, 0.25),
        &wave(1, &[3]),
        &[1.3497329159770335],
        &[0.025836237188466192, -0.36748251123724246, 0.3416462740487762],
    );
    check(|x| nll_loss(x, &one, &weight, None, None), &wave(1, &[3]), &[0.5], &[0.0, -1.0, 0.0]);
    assert!(multi_margin_loss(wave(1, &[2, 3]), &target, 3, None, None, None).is_err());
    assert!(cross_entropy(wave(1, &[2, 3]), wave(2, &[2, 3]), None, 0, None, None).is_err());
    Ok(())
}

#[test]
fn losses_of_distances_have_the_options_of_pytorch() {
    check(
        |x| gaussian_nll_loss(x, wave(2, &[2, 3]), 0.5, true, None, Reduction::Sum),
        &wave(1, &[2, 3]),
        &[22.246689657548202],
        &numbers("3.0 3.0 3.0 -5.5 3.0 3.0"),
    );
    check(
        |x| gaussian_nll_loss(x, wave(2, &[2, 3]), tensor(&[0.5, 2.0], &[2]), None, None, None),
        &wave(1, &[2, 3]),
        &[1.6276041666666667],
        &numbers("0.5 0.5 0.5 -0.22916666666666666 0.125 0.125"),
    );
    check(
        |x| triplet_margin_loss(x, wave(2, &[2, 3]), wave(3, &[2, 3]), 4, 3, None, true, Reduction::None),
        &wave(1, &[2, 3]),
        &[3.025164460767104, 5.2173085415439715],
        &numbers(
            "0.6394052928749224 0.6394052928749224 -0.4331075266083975 -0.34836928703908665 \
            0.7274304409238109 0.7274304409238109",
        ),
    );
    check(
        |x| pairwise_distance(x, wave(2, &[2, 3]), 1, None, true),
        &wave(1, &[2, 3]),
        &[4.5000029999999995, 5.750001],
        &numbers("1.0 1.0 1.0 -1.0 1.0 1.0"),
    );
    check(
        |x| pairwise_distance(x, wave(2, &[2, 3]), INF, 0, None),
        &wave(1, &[2, 3]),
        &[1.5, 2.75],
        &numbers("0.3333333333333333 0.3333333333333333 0.3333333333333333 -1.0 0.0 0.0"),
    );
    check(
        |x| kl_div_batchmean(x, wave(2, &[2, 3]).abs(), None),
        &wave(1, &[2, 3]),
        &[3.1934710515810254],
        &numbers("-0.375 -1.0 -0.125 -0.875 -0.875 -0.875"),
    );
}

#[test]
fn pads_of_any_number_of_axes() -> Result<()> {
    let x = wave(1, &[2, 3, 2, 2, 3]);
    let pairs = [(1, 2), (0, 1), (2, 0), (1, 0), (0, 0)];
    for mode in [PadMode::Constant, PadMode::Reflect, PadMode::Replicate, PadMode::Circular] {
        // One axis after the other.
        let mut wanted = x.clone();
        for (place, pair) in pairs.iter().enumerate() {
            let axis = -1 - place as i64;
            wanted = wanted.transpose(axis, -1)?.pad([*pair], mode, None)?.transpose(axis, -1)?;
        }
        let found = pad(&x, pairs, mode, None)?;
        assert_eq!(found.shape().to_vec(), [2, 4, 4, 3, 6]);
        assert_eq!(found.to_vec::<f64>()?, wanted.to_vec::<f64>()?);
    }
    Ok(())
}

#[test]
fn pads_that_do_not_fit_are_errors() -> Result<()> {
    let x = wave(1, &[2, 3]);
    let refused = |pairs: &[(i64, i64)], mode: PadMode, value: Option<Number>, wanted: &str| {
        let error = pad(&x, pairs, mode, value).unwrap_err().to_string();
        assert_eq!(error, wanted);
    };
    let constant = PadMode::Constant;
    refused(&[(0, 0); 3], constant, None, "pad: `pad` has 3 pairs, and the shape [2, 3] has 2 axes");
    refused(&[(-2, -2)], constant, None, "pad: axis 1 has size 3, and `pad` cuts 4 elements off it");
    refused(
        &[(i64::MIN, i64::MIN)],
        constant,
        None,
        "pad: axis 1 has size 3, and `pad` cuts 18446744073709551615 elements off it",
    );
    refused(
        &[(i64::MAX, 1)],
        constant,
        None,
        "pad: `pad` adds 9223372036854775807 and 1 elements, more than can be counted",
    );
    let value = Some(Number::Int(1));
    refused(&[(1, 1)], PadMode::Circular, value, "pad: the mode `Circular` has no `value`: write `None`");
    assert!(pad(Tensor::from([1, 2]), [(1, 1)], None, 0.5).is_err());
    // An axis may become empty, and an empty one may get a constant, but has nothing to repeat.
    assert_eq!(x.pad([(-3, 0)], None, None)?.shape().to_vec(), [2, 0]);
    let empty = Tensor::zeros([2, 0], DType::F64, &Device::default())?;
    assert_eq!(empty.pad([(1, 0)], None, 3)?.to_vec::<f64>()?, [3.0, 3.0]);
    assert!(empty.pad([(1, 0)], PadMode::Replicate, None).is_err());
    // Elements that are cut off are not repeated. PyTorch 2.15 gives these numbers.
    let row = Tensor::from([[1.0, 2.0, 3.0, 4.0]]);
    let circular = row.pad([(-1, 2)], PadMode::Circular, None)?;
    assert_eq!(circular.to_vec::<f64>()?, numbers("2.0 3.0 4.0 2.0 3.0"));
    Ok(())
}
