//! Checks primitives that move elements: each element of a result is an element that went in, whatever the
//! layout it is read from.

use super::moved::{moved, tabulate};
use super::values::{elements, same, scalar};
use super::{Function, Suite};
use crate::place::{Layout, place};
use tensor_op_core::{
    Backend, DType, Distribution, Dynamic, Element, Generator, Result, Shape, TensorData, match_dtype,
};
use tensor_op_spec::ir::{Kind, Scalar};

/// A range of an axis, as [`Backend::slice`](tensor_op_core::Backend::slice) takes it: start, end, step.
type Range = (usize, usize, usize);

/// Runs the cases of one dtype.
pub(super) fn run(suite: &mut Suite, dtype: DType) {
    round_trips(suite, dtype);
    reads(suite, dtype);
    reshapes(suite, dtype);
    permutations(suite, dtype);
    expansions(suite, dtype);
    slices(suite, dtype);
    joins(suite, dtype);
    fills(suite, dtype);
    casts(suite, dtype);
    if dtype.kind() == Kind::Float {
        draws(suite, dtype);
    }
}

/// Data in and out. What is read from a view is a case of `into_data`.
fn round_trips(suite: &mut Suite, dtype: DType) {
    for sizes in [&[][..], &[0], &[1], &[7], &[2, 0, 3], &[2, 3, 4], &[5, 1, 3], &[1, 2, 1, 2, 1, 2], &[5003]]
    {
        for layout in Layout::of(&suite.device) {
            let what = match layout {
                Layout::Contiguous => Function::FromData,
                Layout::Transposed | Layout::Sliced | Layout::Broadcast | Layout::Backwards => {
                    Function::IntoData
                }
            };
            moved(suite, what, dtype, sizes, layout, "", Ok, |shape| {
                (shape.clone(), Box::new(|point: &[usize]| point.to_vec()))
            });
        }
    }
}

/// If data is requested now and awaited later, it is the data of the tensor at the time of the request,
/// whatever happened to the tensor in between.
fn reads(suite: &mut Suite, dtype: DType) {
    for sizes in [&[][..], &[0, 3], &[4, 6]] {
        for layout in Layout::of(&suite.device) {
            let (device, shape) = (suite.device, Shape::new(sizes));
            suite.check(Function::IntoDataAsync, dtype, format!("{shape} {layout:?}"), || {
                let tensor = place(elements(dtype, &shape, 1)?, &device, layout)?;
                let before = Dynamic::into_data(tensor.clone())?;
                let coming = Dynamic::into_data_async(tensor.clone());
                let everywhere: Vec<Range> = sizes.iter().map(|size| (0, *size, 1)).collect();
                let others = Dynamic::from_data(elements(dtype, &shape, 50)?, &device)?;
                let after = Dynamic::slice_assign(tensor, &everywhere, others)?;
                let found = pollster::block_on(coming)?;
                drop(after);
                Ok(same(&found, &before))
            });
        }
    }
}

fn reshapes(suite: &mut Suite, dtype: DType) {
    let cases: [(&[usize], &[usize]); 6] = [
        (&[6], &[2, 3]),
        (&[2, 3, 4], &[4, 6]),
        (&[4, 6], &[24]),
        (&[1], &[]),
        (&[0, 3], &[5, 0]),
        (&[3, 1, 2], &[3, 2]),
    ];
    for (from, to) in cases {
        for layout in Layout::of(&suite.device) {
            let (from_shape, to_shape) = (Shape::new(from), Shape::new(to));
            let target = to_shape.clone();
            moved(
                suite,
                Function::Reshape,
                dtype,
                from,
                layout,
                &format!("to {to_shape}"),
                |tensor| Dynamic::reshape(tensor, target),
                |_| {
                    (
                        to_shape.clone(),
                        Box::new(move |point: &[usize]| unravel(&from_shape, ravel(&to_shape, point))),
                    )
                },
            );
        }
    }
}

fn permutations(suite: &mut Suite, dtype: DType) {
    for axes in [&[0][..], &[1, 0], &[0, 2, 1], &[1, 0, 2], &[2, 0, 1], &[1, 2, 0], &[2, 1, 0], &[3, 1, 0, 2]]
    {
        let sizes: Vec<usize> = [3, 1, 4, 2].into_iter().take(axes.len()).collect();
        for layout in Layout::of(&suite.device) {
            moved(
                suite,
                Function::Permute,
                dtype,
                &sizes,
                layout,
                &format!("{axes:?}"),
                |t| Dynamic::permute(t, axes),
                |shape| {
                    let to: Shape = axes.iter().map(|axis| shape[*axis]).collect();
                    let from = |point: &[usize]| {
                        let mut from = vec![0; axes.len()];
                        axes.iter().zip(point).for_each(|(axis, i)| from[*axis] = *i);
                        from
                    };
                    (to, Box::new(from))
                },
            );
        }
    }
}

fn expansions(suite: &mut Suite, dtype: DType) {
    for (from, to) in [(&[1][..], &[5][..]), (&[3, 1], &[3, 4]), (&[1, 1, 2], &[2, 3, 2]), (&[2, 1], &[2, 0])]
    {
        for layout in [Layout::Contiguous, Layout::Sliced] {
            let target = Shape::new(to);
            moved(
                suite,
                Function::Expand,
                dtype,
                from,
                layout,
                &format!("to {target}"),
                |t| Dynamic::expand(t, target),
                |shape| {
                    let own = shape.clone();
                    let from = move |point: &[usize]| {
                        point
                            .iter()
                            .zip(own.iter())
                            .map(|(i, size)| if *size == 1 { 0 } else { *i })
                            .collect()
                    };
                    (Shape::new(to), Box::new(from))
                },
            );
        }
    }
}

fn slices(suite: &mut Suite, dtype: DType) {
    let cases: [(&[usize], &[Range]); 6] = [
        (&[7], &[(0, 7, 1)]),
        (&[7], &[(2, 5, 1)]),
        (&[7], &[(1, 7, 3)]),
        (&[4, 5], &[(1, 3, 1), (0, 5, 2)]),
        (&[4, 5], &[(2, 2, 1), (0, 5, 1)]),
        (&[2, 3, 4], &[(0, 2, 1), (1, 3, 1), (3, 4, 1)]),
    ];
    for (sizes, ranges) in cases {
        for layout in Layout::of(&suite.device) {
            moved(
                suite,
                Function::Slice,
                dtype,
                sizes,
                layout,
                &format!("{ranges:?}"),
                |t| Dynamic::slice(t, ranges),
                |_| {
                    let within = |point: &[usize]| {
                        point.iter().zip(ranges).map(|(i, (start, _, step))| start + i * step).collect()
                    };
                    (ranges.iter().map(length).collect(), Box::new(within))
                },
            );
            assigned(suite, dtype, sizes, ranges, layout);
        }
    }
}

/// Checks `slice_assign`: the result has the source inside the ranges and the tensor elsewhere, and the
/// original tensor is unchanged.
fn assigned(suite: &mut Suite, dtype: DType, sizes: &[usize], ranges: &[Range], layout: Layout) {
    let device = suite.device;
    let case = format!("{} {ranges:?} {layout:?}", Shape::new(sizes));
    suite.check(Function::SliceAssign, dtype, case, || {
        let into = elements(dtype, &Shape::new(sizes), 1)?;
        let source = elements(dtype, &ranges.iter().map(length).collect(), 50)?;
        let tensor = place(into, &device, layout)?;
        let before = Dynamic::into_data(tensor.clone())?;
        let kept = tensor.clone();
        let result = Dynamic::slice_assign(tensor, ranges, place(source.clone(), &device, layout)?)?;
        let inside = |point: &[usize]| -> Option<Vec<usize>> {
            let at = |(i, (start, end, step)): (&usize, &Range)| {
                (i >= start && i < end && (i - start).is_multiple_of(*step)).then(|| (i - start) / step)
            };
            point.iter().zip(ranges).map(at).collect()
        };
        let source = Dynamic::into_data(place(source.clone(), &device, layout)?)?;
        let expected = tabulate(dtype, &Shape::new(sizes), |point| match inside(point) {
            Some(from) => scalar(&source, &from),
            None => scalar(&before, point),
        })?;
        let (found, kept) = (Dynamic::into_data(result)?, Dynamic::into_data(kept)?);
        Ok(same(&found, &expected).and_then(|()| same(&kept, &before)))
    });
}

fn joins(suite: &mut Suite, dtype: DType) {
    for (axis, pieces) in [(0, &[3, 2][..]), (1, &[1, 4, 2]), (2, &[2]), (1, &[0, 3])] {
        for layout in Layout::of(&suite.device) {
            let device = suite.device;
            suite.check(Function::Cat, dtype, format!("{pieces:?} along {axis} {layout:?}"), || {
                let shape = |size| {
                    let mut sizes = [2, 3, 2];
                    sizes[axis] = size;
                    Shape::new(&sizes)
                };
                let each = pieces.iter().zip(1..).map(|(size, seed)| elements(dtype, &shape(*size), seed));
                let placed = each.map(|data| place(data?, &device, layout)).collect::<Result<Vec<_>>>()?;
                let parts = placed.iter().cloned().map(Dynamic::into_data).collect::<Result<Vec<_>>>()?;
                let joined = Dynamic::cat(placed, axis)?;
                let expected = tabulate(dtype, &shape(pieces.iter().sum()), |point| {
                    let mut from = point.to_vec();
                    let mut part = 0;
                    while from[axis] >= pieces[part] {
                        from[axis] -= pieces[part];
                        part += 1;
                    }
                    scalar(&parts[part], &from)
                })?;
                Ok(same(&Dynamic::into_data(joined)?, &expected))
            });
        }
    }
}

fn fills(suite: &mut Suite, dtype: DType) {
    for value in [Scalar::Float(-1.5), Scalar::Int(3), Scalar::Bool(true)] {
        for sizes in [&[][..], &[0], &[3, 5]] {
            let device = suite.device;
            suite.check(Function::Full, dtype, format!("{} of {value}", Shape::new(sizes)), || {
                let found = Dynamic::into_data(Dynamic::full(Shape::new(sizes), value, dtype, &device)?)?;
                Ok(same(&found, &TensorData::full(Shape::new(sizes), value, dtype)?))
            });
        }
    }
}

fn casts(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    for target in DType::ALL.into_iter().filter(|target| Dynamic::supports_dtype(&device, *target)) {
        suite.check(Function::Cast, dtype, format!("to {target}"), || {
            let all =
                [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 255.0, 256.0, 3e4, 1e-3, f64::NAN, f64::INFINITY, -1e30];
            let of_kind = match dtype.kind() {
                Kind::Float => all.to_vec(),
                Kind::Int | Kind::Bool => vec![0.0, 1.0, 2.0, 100.0, 255.0],
            };
            let count = of_kind.len();
            let data = TensorData::new(of_kind, [count])?.cast(dtype);
            let found =
                Dynamic::into_data(Dynamic::cast(Dynamic::from_data(data.clone(), &device)?, target)?)?;
            Ok(same(&found, &data.cast(target)))
        });
    }
}

/// Checks random elements: their range, mean and deviation; the same seed gives the same elements, and a
/// second draw gives others. The case has its own generators, so that nobody else draws from them.
fn draws(suite: &mut Suite, dtype: DType) {
    let uniform = Distribution::Uniform { low: -1.0, high: 3.0 };
    let normal = Distribution::Normal { mean: 2.0, std: 0.5 };
    for (distribution, mean, std) in [(uniform, 1.0, 4.0 / 12f64.sqrt()), (normal, 2.0, 0.5)] {
        let device = suite.device;
        suite.check(Function::Random, dtype, format!("{distribution:?}"), || {
            const COUNT: usize = 4000;
            let draw = |generator: &Generator| -> Result<Vec<f64>> {
                let draw = generator.draw([COUNT], distribution, dtype)?;
                Dynamic::into_data(Dynamic::random(&draw, &device)?)?.cast(DType::F64).into_vec::<f64>()
            };
            let generator = Generator::new(7);
            let (first, second) = (draw(&generator)?, draw(&generator)?);
            let again = draw(&Generator::new(7))?;
            let found_mean = first.iter().sum::<f64>() / COUNT as f64;
            let found_std = (first.iter().map(|x| (x - found_mean).powi(2)).sum::<f64>() / COUNT as f64).sqrt();
            // Six standard deviations of the mean of this many draws; also enough for their deviation.
            let slack = 6.0 * std / (COUNT as f64).sqrt();
            let is_inside = |x: &f64| !matches!(distribution, Distribution::Uniform { low, high } if *x < low || *x > high);
            Ok(match () {
                () if first != again => Err("differs after the same seed".to_string()),
                () if first == second => Err("a second draw gives the same elements".to_string()),
                () if !first.iter().all(is_inside) => Err("an element is out of range".to_string()),
                () if (found_mean - mean).abs() > slack => Err(format!("the mean is {found_mean}, not {mean}")),
                () if (found_std - std).abs() > slack => Err(format!("the deviation is {found_std}, not {std}")),
                () => Ok(()),
            })
        });
    }
    widest_draws(suite, dtype);
}

/// Draws between the ends of the dtype: some numbers are large, and none is infinite.
fn widest_draws(suite: &mut Suite, dtype: DType) {
    let device = suite.device;
    suite.check(Function::Random, dtype, "as far as the dtype goes", || {
        let most = match_dtype!(dtype, T => largest::<T>());
        let ends = [
            Distribution::Uniform { low: -most, high: most },
            Distribution::Normal { mean: 0.0, std: most / 8.6 },
        ];
        for distribution in ends {
            let draw = Generator::new(3).draw([1000], distribution, dtype)?;
            let found = Dynamic::into_data(Dynamic::random(&draw, &device)?)?.cast(DType::F64);
            let found = found.as_slice::<f64>()?;
            if let Some(wrong) = found.iter().find(|x| !x.is_finite()) {
                return Ok(Err(format!("{distribution:?} gives {wrong}")));
            }
            if found.iter().all(|x| x.abs() < most / 20.0) {
                return Ok(Err(format!("{distribution:?} gives no large element")));
            }
        }
        Ok(Ok(()))
    });
}

/// The largest finite number of a float dtype: the largest finite power of two, plus smaller powers of two as
/// long as the sum is finite.
fn largest<T: Element>() -> f64 {
    let mut power = 1.0;
    while T::from_f64(2.0 * power).to_f64().is_finite() {
        power *= 2.0;
    }
    let (mut most, mut step) = (power, power / 2.0);
    while most + step != most {
        let more = T::from_f64(most + step).to_f64();
        if more.is_finite() && more < 2.0 * power {
            most = more;
        }
        step /= 2.0;
    }
    most
}

fn length((start, end, step): &Range) -> usize {
    end.saturating_sub(*start).div_ceil(*step)
}

fn ravel(shape: &Shape, point: &[usize]) -> usize {
    shape.iter().zip(point).fold(0, |flat, (size, i)| flat * size + i)
}

fn unravel(shape: &Shape, flat: usize) -> Vec<usize> {
    shape.strides().iter().zip(shape.iter()).map(|(stride, size)| flat / stride % size).collect()
}
