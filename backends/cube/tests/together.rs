//! Calls that belong together: their small kernels are launched at once, with the results of a loop.
#![cfg(feature = "wgpu")]

mod launches;

use launches::counted;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use tensor_op::optim::{AdamW, Ema, Muon, Optimizer, clip_grad_norm, clip_grad_value};
use tensor_op::prelude::*;
use tensor_op::{Captured, Gradients, capture};

#[tensor_op(tests = false)]
fn moved(x: Tensor, step: Tensor, rate: f64) -> (Tensor, Tensor) {
    (x - rate * tanh(step), 0.5 * step)
}

#[tensor_op(tests = false)]
fn normalized(x: Tensor![n]) -> Tensor![n] {
    x / sqrt(sum(x * x, n) + 1.0)
}

#[tensor_op(tests = false)]
fn picked(x: Tensor![n], index: IntTensor![k]) -> Tensor![k] {
    at(x, n = index) * 2.0
}

/// Lets one test use the device at a time: whoever reads something starts what waits.
fn alone() -> MutexGuard<'static, ()> {
    static DEVICE: Mutex<()> = Mutex::new(());
    DEVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tensors of these lengths with different elements.
fn tensors(lengths: &[usize], device: &Device) -> Result<Vec<Tensor>> {
    let element = |at: usize, i: usize| ((i * 7 + at * 3) % 23) as f32 / 8.0 - 1.0;
    let make = |(at, len): (usize, &usize)| {
        Tensor::from_vec((0..*len).map(|i| element(at, i)).collect(), [*len], device)
    };
    lengths.iter().enumerate().map(make).collect()
}

fn values(tensors: &[Tensor]) -> Result<Vec<Vec<f32>>> {
    tensors.iter().map(Tensor::to_vec).collect()
}

/// Checks that calls return the same one by one and together, with this many launches. Together there may be
/// more of them: a driver binds some number of buffers at once, Mesa's 31.
fn check(
    lengths: &[usize],
    launches: [usize; 2],
    call: impl Fn(&Tensor) -> Result<Vec<Tensor>>,
) -> Result<()> {
    let device = Device::new("wgpu")?;
    let x = tensors(lengths, &device)?;
    let one_by_one = || x.iter().map(&call).collect::<Result<Vec<_>>>();
    let (alone, count) = counted(one_by_one);
    assert_eq!(count, launches[0], "launches one by one");
    let (together, count) = counted(|| device.foreach(&x, &call));
    assert!(count <= launches[1], "{count} launches together, not {}", launches[1]);
    assert_eq!(values(&together?.concat())?, values(&alone?.concat())?);
    Ok(())
}

#[test]
fn formulas_of_single_elements_are_joined_for_all_sizes() -> Result<()> {
    let _alone = alone();
    // Each call has two arguments and two results, so that Mesa binds those of four calls, not of eight.
    let lengths: Vec<usize> = (0..39).map(|at| 8 + at * 1000).collect();
    check(&lengths, [39, 11], |x| {
        let (x, step) = moved(x, x, 0.25)?;
        Ok(vec![x, step])
    })
}

#[test]
fn other_vectors_have_another_kernel() -> Result<()> {
    let _alone = alone();
    check(&[8, 9, 16, 11], [4, 2], |x| Ok(vec![moved(x, x, 0.25)?.0]))
}

#[test]
fn folds_are_joined_for_equal_sizes() -> Result<()> {
    let _alone = alone();
    // A long row is shared by cubes, whose parts are folded by another kernel.
    check(&[300, 40_000, 300, 300, 40_000, 300], [10, 4], |x| Ok(vec![normalized(x)?]))
}

#[test]
fn kernels_that_follow_each_other() -> Result<()> {
    let _alone = alone();
    // Each of three steps is joined for all tensors.
    check(&[64; 4], [12, 3], |x| Ok(vec![moved(normalized(moved(x, x, 0.5)?.0)?, x, 2.0)?.0]))
}

#[test]
fn large_kernels_and_gathers_are_launched_alone() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let x = tensors(&[16 << 20; 2], &device)?;
    assert_eq!(counted(|| device.foreach(&x, |x| moved(x, x, 0.25))).1, 2);
    // A gather starts what waits: the kernel that it reads.
    let index = Tensor::from_vec(vec![2_i64, 0], [2], &device)?;
    check(&[64; 3], [9, 9], |x| Ok(vec![picked(moved(x, x, 0.25)?.0, &index)?]))
}

#[test]
fn calls_may_use_results_of_earlier_calls() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let mut total = Tensor::zeros([8], DType::F32, &device)?;
    let x = tensors(&[8; 5], &device)?;
    let sums = device.foreach(&x, |x| {
        total = (std::mem::replace(&mut total, x.clone()) + x)?;
        Ok(total.clone())
    })?;
    let mut wanted = vec![0.0; 8];
    for (x, sum) in x.iter().zip(sums) {
        wanted.iter_mut().zip(x.to_vec::<f32>()?).for_each(|(sum, x)| *sum += x);
        assert_eq!(sum.to_vec::<f32>()?, wanted);
    }
    Ok(())
}

#[test]
fn memory_is_reused_only_after_its_readers() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    // The first kernel reads `x`, which the second one overwrites because nobody else has it.
    let results = device.foreach(tensors(&[4096; 20], &device)?, |x| {
        let first = moved(&x, &x, 1.0)?.0;
        let second = moved(x, &first, 4.0)?.0;
        // Memory that is free again before anything has run.
        drop(moved(&second, &first, 3.0)?);
        Ok((first, second))
    })?;
    for (x, (first, second)) in tensors(&[4096; 20], &device)?.iter().zip(results) {
        let wanted = moved(x, x, 1.0)?.0;
        assert_eq!(first.to_vec::<f32>()?, wanted.to_vec::<f32>()?);
        assert_eq!(second.to_vec::<f32>()?, moved(x, &wanted, 4.0)?.0.to_vec::<f32>()?);
    }
    Ok(())
}

#[test]
fn whoever_reads_sees_what_waited() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let x = tensors(&[8; 4], &device)?;
    let wanted = values(&x.iter().map(|x| Ok(moved(x, x, 1.0)?.0)).collect::<Result<Vec<_>>>()?)?;
    let found = device.foreach(&x, |x| moved(x, x, 1.0)?.0.to_vec::<f32>())?;
    assert_eq!(found, wanted, "this thread");
    let found = device.foreach(&x, |x| {
        let moved = moved(x, x, 1.0)?.0;
        thread::spawn(move || (&moved * 2.0)?.to_vec::<f32>()).join().expect("no panic")
    })?;
    let doubled = |x: &Vec<f32>| x.iter().map(|x| x * 2.0).collect::<Vec<_>>();
    assert_eq!(found, wanted.iter().map(doubled).collect::<Vec<_>>(), "another thread");
    Ok(())
}

#[test]
fn an_error_ends_the_calls() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let x = tensors(&[8, 9, 8], &device)?;
    let mut done = vec![];
    let error = device.foreach(&x, |one| {
        done.push(moved(one, &x[0], 1.0)?.0);
        Ok(())
    });
    assert!(error.is_err_and(|error| error.kind() == tensor_op::ErrorKind::Shape));
    assert_eq!(values(&done)?, values(&[moved(&x[0], &x[0], 1.0)?.0])?);
    // The time together has ended.
    assert_eq!(counted(|| moved(&x[1], &x[1], 1.0)).1, 1);
    Ok(())
}

#[test]
fn many_small_tensors_are_put_side_by_side_at_once() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let x = tensors(&[8; 32], &device)?;
    let (found, launches) = counted(|| Tensor::cat(&x, 0));
    assert!(launches <= 4, "{launches} launches");
    assert_eq!(found?.to_vec::<f32>()?, values(&x)?.concat());
    Ok(())
}

#[tensor_op(tests = false)]
fn weights(x: Tensor![m, n]) -> Tensor![m, n] {
    softmax(x, n)
}

#[tensor_op(tests = false)]
fn sums(x: Tensor![m, n]) -> (Tensor![n], Tensor![m]) {
    (sum(x, m), max(x, n))
}

#[tensor_op(tests = false)]
fn places(x: Tensor![m, n]) -> (IntTensor![m], BoolTensor![m, n]) {
    (argmax(x, n), x > mean(x, n))
}

#[tensor_op(tests = false)]
fn turned(x: Tensor![m, n]) -> Tensor![n, m] {
    exp(x) + cast(iota(m), float)
}

type Formula<'f> = &'f dyn Fn(&Tensor) -> Result<Vec<Tensor>>;

#[test]
fn other_formulas_are_joined() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    // Short and long rows, and few columns: each shape has kernels of its own.
    for shape in [[64, 32], [5, 700], [300, 3]] {
        let made = tensors(&[shape[0] * shape[1]; 6], &device)?.into_iter();
        let x = made.map(|x| x.reshape(shape)).collect::<Result<Vec<_>>>()?;
        let floats = |x: Tensor| x.cast(DType::F32);
        let formulas: [(&str, Formula<'_>); 6] = [
            ("weights", &|x| Ok(vec![weights(x)?])),
            ("sums", &|x| sums(x).map(|(columns, rows)| vec![columns, rows])),
            ("places", &|x| places(x).and_then(|(place, above)| Ok(vec![floats(place)?, floats(above)?]))),
            ("turned", &|x| Ok(vec![turned(x)?])),
            ("a view", &|x| Ok(vec![turned(x.transpose(0, 1)?)?, turned(x.flip(1)?)?])),
            ("a gradient", &|x| {
                let x = x.clone().require_grad();
                Ok(vec![weights(&x)?.square()?.sum(..)?.backward()?[&x].clone()])
            }),
        ];
        for (name, formula) in formulas {
            let (alone, count) = counted(|| x.iter().map(formula).collect::<Result<Vec<_>>>());
            let (together, joined) = counted(|| device.foreach(&x, formula));
            assert_eq!(values(&together?.concat())?, values(&alone?.concat())?, "{name} of {shape:?}");
            assert!(joined * 2 <= count, "{name} of {shape:?}: {joined} launches of {count}");
        }
    }
    Ok(())
}

#[tensor_op(tests = false)]
fn shifted_sum(x: Tensor![n], b: f64) -> Tensor![] {
    sum(x + b, n)
}

#[tensor_op(tests = false)]
fn scaled_sum(x: Tensor![n], b: f64, a: f64) -> Tensor![] {
    a * sum(x + b, n)
}

#[test]
fn parts_of_ops_with_other_scalars_are_not_joined() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    // A row that is shared by cubes, whose first kernels are alike but for the scalars of the ops.
    let x = tensors(&[200_000], &device)?.remove(0);
    let both = || [scaled_sum(&x, 0.5, 3.0), shifted_sum(&x, 0.25)].into_iter().collect::<Result<Vec<_>>>();
    let alone = values(&both()?)?;
    let together = device.foreach([()], |()| both())?;
    assert_eq!(values(&together[0])?, alone);
    Ok(())
}

#[test]
fn recorded_steps_go_on_from_what_waits() -> Result<()> {
    let _alone = alone();
    let device = Device::new("wgpu")?;
    let step = |state: &[Tensor], inputs: &[Tensor]| {
        let next = (&state[0] * 0.5 + &inputs[0])?;
        Ok((vec![next.clone()], vec![(next * 2.0)?]))
    };
    let inputs = tensors(&[16; 6], &device)?;
    let zeros = [inputs[0].zeros_like()?];
    let replayed = |captured: &mut Captured<_>, x: &Tensor| {
        // The input is made by a kernel that waits.
        let output = captured.replay(&[(x + 1.0)?])?.remove(0);
        Ok((output, captured.state()?.remove(0)))
    };
    let mut captured = capture(&zeros, &zeros, step)?;
    let together = device.foreach(&inputs, |x| replayed(&mut captured, x))?;
    let mut captured = capture(&zeros, &zeros, step)?;
    for ((output, state), x) in together.iter().zip(&inputs) {
        let (wanted, wanted_state) = replayed(&mut captured, x)?;
        assert_eq!(output.to_vec::<f32>()?, wanted.to_vec::<f32>()?);
        assert_eq!(state.to_vec::<f32>()?, wanted_state.to_vec::<f32>()?);
    }
    Ok(())
}

/// What is done with parameters and their gradients.
type Step = Box<dyn FnMut(&mut [Tensor], &mut Gradients) -> Result<()>>;

/// Parameters after some steps, and the launches of the last one.
fn trained(device: &Device, mut step: Step) -> Result<(Vec<f32>, usize)> {
    let shapes = [[16, 8], [8, 16], [16, 8], [8, 16], [16, 8], [8, 16]];
    let made = tensors(&[128; 6], device)?.into_iter().zip(shapes);
    let mut x = made.map(|(x, shape)| Ok(x.reshape(shape)?.require_grad())).collect::<Result<Vec<_>>>()?;
    let mut last = 0;
    for _ in 0..3 {
        let mut loss = x[0].square()?.sum(..)?;
        for x in &x[1..] {
            loss = (loss + x.square()?.sum(..)?)?;
        }
        let mut gradients = loss.backward()?;
        drop(loss);
        let (result, launches) = counted(|| step(&mut x, &mut gradients));
        result?;
        last = launches;
    }
    Ok((values(&x)?.concat(), last))
}

#[test]
fn optimizers_launch_few_kernels() -> Result<()> {
    let _alone = alone();
    let check = |launches: usize, step: &dyn Fn() -> Step| -> Result<()> {
        let (found, count) = trained(&Device::new("wgpu")?, step())?;
        let (wanted, _) = trained(&Device::default(), step())?;
        let is_close = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-3 * y.abs().max(1.0);
        assert!(found.iter().zip(&wanted).all(is_close), "{found:?} {wanted:?}");
        assert!(count <= launches, "{count} launches, not {launches}");
        Ok(())
    };
    // Six calls are joined to four and two.
    check(2, &|| {
        let mut optimizer = Optimizer::new(AdamW::default());
        Box::new(move |x, gradients| optimizer.step(x, gradients))
    })?;
    // Their norms, the norms side by side, the norm of these, and the clipped gradients.
    check(7, &|| Box::new(|x, gradients| clip_grad_norm(gradients, &*x, 0.5).map(drop)))?;
    check(2, &|| Box::new(|x, gradients| clip_grad_value(gradients, &*x, 0.5)))?;
    check(2, &|| {
        let mut ema: Option<Ema> = None;
        Box::new(move |x, _| ema.get_or_insert_with(|| Ema::new(0.5, &*x)).update(&*x))
    })?;
    // Muon multiplies matrices, one after the other.
    check(usize::MAX, &|| {
        let mut optimizer = Optimizer::new(Muon::default());
        Box::new(move |x, gradients| optimizer.step(x, gradients))
    })
}
