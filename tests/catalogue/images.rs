//! Images at other sizes and at positions of a grid: values and gradients where no exam has a sample, and
//! what is refused. All numbers are those of PyTorch 2.15 in f64.

use super::check::{assert_near, tensor, values_and_gradient};
use tensor_op::catalogue::resize::{InterpolateMode, interpolate};
use tensor_op::catalogue::sample::{GridMode, GridPadding, grid_sample};
use tensor_op::prelude::*;

/// What is resized and sampled: four rows of five, or two planes of three rows of three.
fn image(shape: &[usize]) -> Tensor {
    let values: Vec<f64> =
        (0..shape.iter().product()).map(|i: usize| (i * 7 % 11) as f64 / 4.0 - 1.25).collect();
    tensor(&values, shape)
}

/// Compares the values, and the sum of the gradient, each slope times the square of its place from 0 on.
/// Weights of cubic curves cancel.
#[track_caller]
fn check(op: impl Fn(&Tensor) -> Result<Tensor>, x: &Tensor, values: &[f64], slope: f64) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs() + 1e-14;
    let (found, slopes) = values_and_gradient(op, x);
    let weighed: f64 = slopes.iter().enumerate().map(|(place, slope)| (place * place) as f64 * slope).sum();
    let agree = found.len() == values.len() && found.iter().zip(values).all(|(a, b)| near(*a, *b));
    assert!(agree && near(weighed, slope), "found {found:?} and {weighed}, wanted {values:?} and {slope}");
}

/// An image that becomes smaller is smoothed.
#[test]
fn resizing_without_aliases() {
    let x = image(&[1, 1, 4, 5]);
    let is = |mode, align: bool, values: &[f64], slope: f64| {
        let resized = |x: &Tensor| interpolate(x, Some(&[2, 3]), None, mode, align, None, true);
        check(resized, &x, values, slope);
    };
    is(
        InterpolateMode::Bilinear,
        false,
        &[
            -0.3112244897959182,
            0.03174603174603177,
            0.36224489795918374,
            -0.3673469387755101,
            0.11904761904761901,
            -0.030612244897959162,
        ],
        719.3174603174604,
    );
    is(
        InterpolateMode::Bilinear,
        true,
        &[
            -0.20982142857142855,
            0.05468750000000001,
            0.3515625,
            -0.2380952380952381,
            0.10416666666666669,
            -0.22916666666666669,
        ],
        1054.767857142857,
    );
    is(
        InterpolateMode::Bicubic,
        false,
        &[
            -0.30835982199618556,
            0.04449836632711904,
            0.38447234583598233,
            -0.37730451366815004,
            0.10645300788006912,
            -0.03726954863318487,
        ],
        716.8523632815388,
    );
    is(
        InterpolateMode::Bicubic,
        true,
        &[
            -0.2553910524621822,
            0.07408458699971615,
            0.43314302884615374,
            -0.24435893604303646,
            0.13254480759093307,
            -0.417201450892857,
        ],
        1126.8654521883157,
    );
}

#[test]
fn resizing_by_scales_without_aliases() {
    let x = image(&[1, 1, 4, 5]);
    let is = |scales: &[f64], recomputed: bool, values: &[f64], slope: f64| {
        let (mode, scales) = (InterpolateMode::Bicubic, Some(scales));
        check(|x| interpolate(x, None, scales, mode, None, recomputed, true), &x, values, slope);
    };
    is(
        &[0.6, 0.45],
        false,
        &[-0.1735727729393104, 0.21663432375218386, -0.2919638073074341, 0.039475560773894004],
        344.3747433633731,
    );
    is(
        &[0.6, 0.45],
        true,
        &[-0.16481350876483294, 0.2438275947581601, -0.20272600641247737, 0.050059886137194656],
        477.1296125956112,
    );
    // One number stands for both axes.
    is(&[0.25], false, &[-0.052869939480318685], 115.0460171975615);
}

#[test]
fn resizing_that_does_not_fit_is_refused() {
    let x = image(&[1, 1, 4, 5]);
    let refused = |found: Result<Tensor>, words: &[&str]| {
        let error = found.expect_err("it is refused").to_string();
        assert!(
            error.starts_with("interpolate: ") && words.iter().all(|word| error.contains(word)),
            "{error}"
        );
    };
    let to = |size: Option<&[usize]>, scale: Option<&[f64]>, mode: Option<InterpolateMode>| {
        interpolate(&x, size, scale, mode, None, None, None)
    };
    refused(to(None, None, None), &["`size`", "`scale_factor`"]);
    refused(to(Some(&[2]), Some(&[0.5]), None), &["`scale_factor`", "pass one"]);
    refused(to(Some(&[2, 2, 2]), None, None), &["`size`", "3 numbers for 2 axes"]);
    refused(to(Some(&[0, 2]), None, None), &["`size`", "[0, 2]"]);
    refused(to(None, Some(&[0.1]), None), &["`size`", "[0, 0]"]);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(to(None, Some(&[scale]), None), &["`scale_factor`", "above 0"]);
    }
    refused(to(None, Some(&[1e300]), None), &[]);
    refused(to(Some(&[2]), None, Some(InterpolateMode::Trilinear)), &["`mode`", "Trilinear", "2 axes"]);
    refused(interpolate(&x, Some(&[2]), None, None, true, None, None), &["`align_corners`", "Nearest"]);
    refused(interpolate(&x, Some(&[2]), None, None, None, None, true), &["`antialias`", "Nearest"]);
    refused(interpolate(image(&[4, 5]), Some(&[2]), None, None, None, None, None), &["`input`", "[4, 5]"]);
    refused(interpolate(image(&[1, 1, 0]), Some(&[2]), None, None, None, None, None), &["`size`", "[0]"]);
}

#[test]
fn volumes_at_the_positions_of_a_grid() {
    let x = image(&[1, 1, 2, 3, 3]);
    let grid = tensor(&[0.3, -0.9, 1.4, -0.2, 0.1, 0.6], &[1, 1, 1, 2, 3]);
    let is = |mode, padding, values: [f64; 2], slopes: [f64; 2]| {
        check(|x| grid_sample(x, &grid, mode, padding, None), &x, &values, slopes[0]);
        if mode != GridMode::Nearest {
            check(|grid| grid_sample(&x, grid, mode, padding, None), &grid, &values, slopes[1]);
        }
    };
    is(
        GridMode::Bilinear,
        GridPadding::Zeros,
        [-0.04550000000000005, -0.21375000000000016],
        [163.96625, -9.897499999999992],
    );
    is(
        GridMode::Bilinear,
        GridPadding::Border,
        [-0.7000000000000002, -0.23750000000000024],
        [283.7300000000001, -19.5],
    );
    is(
        GridMode::Bilinear,
        GridPadding::Reflection,
        [-0.7000000000000002, -0.23750000000000024],
        [283.7300000000001, -19.5],
    );
    is(
        GridMode::Bicubic,
        GridPadding::Zeros,
        [-0.06619084055358879, -0.5127506588496091],
        [187.7417668217188, -26.81288283907101],
    );
    is(
        GridMode::Bicubic,
        GridPadding::Border,
        [-0.9116205036533827, -0.5600899318657232],
        [288.7702476347656, -36.399090708638255],
    );
    is(
        GridMode::Bicubic,
        GridPadding::Reflection,
        [-1.0483613865844739, -0.5677862413525384],
        [291.5453697734373, -37.18277332668451],
    );
    is(GridMode::Nearest, GridPadding::Zeros, [0.0, -0.5], [169.0, 0.0]);
    is(GridMode::Nearest, GridPadding::Border, [-0.25, -0.5], [269.0, 0.0]);
    is(GridMode::Nearest, GridPadding::Reflection, [-0.25, -0.5], [269.0, 0.0]);
}

#[test]
fn positions_far_away() -> Result<()> {
    let image = tensor(&[1.0, 2.0, 3.0, 4.0], &[1, 1, 2, 2]);
    let at = |x: f64, mode, padding| {
        grid_sample(&image, tensor(&[x, 0.0], &[1, 1, 1, 2]), mode, padding, None)?.item::<f64>()
    };
    for (x, border) in [(1e300, [3.0, 2.0, 3.0]), (-1e19, [2.0, 1.0, 2.0])] {
        for (mode, border) in
            [GridMode::Bilinear, GridMode::Nearest, GridMode::Bicubic].into_iter().zip(border)
        {
            assert_near(
                &[at(x, mode, GridPadding::Zeros)?, at(x, mode, GridPadding::Border)?],
                &[0.0, border],
            );
        }
    }
    // What is no number stays visible where elements are weighed.
    assert!(at(f64::NAN, GridMode::Bilinear, GridPadding::Zeros)?.is_nan());
    assert!(at(f64::NAN, GridMode::Bicubic, GridPadding::Border)?.is_nan());
    Ok(())
}

#[test]
fn grids_that_do_not_fit_are_refused() {
    let (x, grid) = (image(&[1, 1, 4, 5]), tensor(&[0.0; 2], &[1, 1, 1, 2]));
    let error = |input: &Tensor, grid: &Tensor| {
        grid_sample(input, grid, None, None, None).expect_err("it is refused").to_string()
    };
    assert!(error(&image(&[1, 4, 5]), &grid).contains("grid_sample: `input`: has 3 axes"));
    assert!(error(&x, &tensor(&[0.0; 3], &[1, 1, 1, 3])).starts_with("grid_sample: `grid`"));
    assert!(error(&x, &tensor(&[0.0; 4], &[2, 1, 1, 2])).starts_with("grid_sample: "));
    assert!(error(&image(&[1, 1, 2, 3, 3]), &grid).starts_with("grid_sample: `grid`"));
}
