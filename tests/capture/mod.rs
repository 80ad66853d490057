//! Recorded steps on a device: they do what the step does when it runs.

#![allow(clippy::cloned_ref_to_slice_refs, reason = "lists of tensors look alike, whatever their length is")]

use tensor_op::{ErrorKind, capture, prelude::*};

type Pair = (Vec<Tensor>, Vec<Tensor>);

#[tensor_op(tests = false)]
fn hidden(x: Tensor![b, i], w: Tensor![i, o], bias: Tensor![o]) -> Tensor![b, o] {
    tanh(sum(x * w, i) + bias)
}

#[tensor_op(tests = false)]
fn loss_of(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![] {
    mean(logsumexp(logits, v) - at(logits, v = target), b)
}

#[tensor_op(tests = false)]
fn moved(x: Tensor, gradient: Tensor, rate: Tensor![]) -> Tensor {
    x - rate * gradient
}

#[tensor_op(tests = false)]
fn picked(x: Tensor![n], ids: IntTensor![b]) -> Tensor![b] {
    at(x, n = ids)
}

#[tensor_op(tests = false)]
fn chosen(x: IntTensor![n], ids: IntTensor![b]) -> IntTensor![b] {
    at(x, n = ids)
}

fn numbers(count: usize, shape: &[usize], device: &Device) -> Result<Tensor> {
    let numbers = (0..count).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    Tensor::from_vec(numbers, shape.to_vec(), device)
}

/// A step of training: images, labels and the rate are inputs.
fn train(state: &[Tensor], inputs: &[Tensor]) -> Result<Pair> {
    let params: Vec<Tensor> = state.iter().map(|x| x.clone().require_grad()).collect();
    let logits = hidden(&inputs[0], &params[0], &params[1])?;
    let loss = loss_of(&logits, &inputs[1])?;
    let gradients = loss.backward()?;
    let next = params.iter().map(|x| moved(x, &gradients[x], &inputs[2])).collect::<Result<_>>()?;
    Ok((next, vec![loss, logits]))
}

fn batch(at: usize, device: &Device) -> Result<Vec<Tensor>> {
    let images = (numbers(6 * 8, &[6, 8], device)? * (at as f32 + 1.0))?;
    let labels = Tensor::from_vec((0..6).map(|i| (i + at as i64) % 5).collect(), [6], device)?;
    Ok(vec![images, labels, Tensor::from_vec(vec![0.1 / (at as f32 + 1.0)], [], device)?])
}

fn all(tensors: &[Tensor]) -> Result<Vec<Vec<f32>>> {
    tensors.iter().map(Tensor::to_vec::<f32>).collect()
}

/// Runs all checks; `records` says whether the device records.
pub(crate) fn check(device: &Device, records: bool) -> Result<()> {
    training_is_the_same(device, records)?;
    parts_of_the_state_change_places(device)?;
    memory_is_its_own(device)?;
    other_inputs_are_refused(device)?;
    what_cannot_be_recorded_is_refused(device, records)?;
    an_index_out_of_range_is_an_error(device, records)
}

fn training_is_the_same(device: &Device, records: bool) -> Result<()> {
    let start = vec![numbers(40, &[8, 5], device)?, numbers(5, &[5], device)?];
    let mut captured = capture(&start, &batch(0, device)?, train)?;
    assert_eq!(captured.is_recorded(), records);
    assert_eq!(all(&captured.state()?)?, all(&start)?, "the recording itself is no step");
    let (mut state, mut kept) = (start, vec![]);
    for at in 0..5 {
        let inputs = batch(at, device)?;
        let (next, expected) = train(&state, &inputs)?;
        let outputs = captured.replay(&inputs)?;
        assert_eq!(all(&outputs)?, all(&expected)?, "step {at}");
        kept.push((outputs, expected));
        state = next.iter().map(Tensor::detach).collect();
    }
    assert_eq!(all(&captured.state()?)?, all(&state)?);
    for (at, (outputs, expected)) in kept.iter().enumerate() {
        assert_eq!(all(outputs)?, all(expected)?, "outputs of step {at} after later steps");
    }
    Ok(())
}

/// The first two change places, the third one stays, and the outputs are those before the step.
fn parts_of_the_state_change_places(device: &Device) -> Result<()> {
    let turn = |state: &[Tensor], inputs: &[Tensor]| {
        let next = vec![state[1].clone(), state[0].clone(), state[2].clone(), state[3].transpose(0, 1)?];
        Ok((next, vec![state[0].clone(), inputs[0].clone()]))
    };
    let value = |x: f32| Tensor::from_vec(vec![x, x + 0.5], [2], device);
    let square = Tensor::from_vec(vec![1f32, 2.0, 3.0, 4.0], [2, 2], device)?;
    let mut captured = capture(&[value(1.0)?, value(2.0)?, value(3.0)?, square], &[value(0.0)?], turn)?;
    for at in 0..3 {
        let outputs = captured.replay(&[value(at as f32)?])?;
        let first = if at % 2 == 0 { 1.0 } else { 2.0 };
        assert_eq!(all(&outputs)?, [[first, first + 0.5], [at as f32, at as f32 + 0.5]]);
    }
    let state = all(&captured.state()?)?;
    assert_eq!(state, [vec![2.0, 2.5], vec![1.0, 1.5], vec![3.0, 3.5], vec![1.0, 3.0, 2.0, 4.0]]);
    Ok(())
}

/// What is computed between replays does not lie in the memory of the recording, nor the other way round.
fn memory_is_its_own(device: &Device) -> Result<()> {
    let step = |state: &[Tensor], inputs: &[Tensor]| {
        let sum = (&state[0] + &inputs[0])?;
        let double = ((&sum * 2f32)? - &inputs[0])?;
        Ok((vec![sum], vec![(double * 3f32)?]))
    };
    let one = Tensor::ones([300], DType::F32, device)?;
    let mut captured = capture(&[one.clone()], &[one.clone()], step)?;
    let (mut others, mut outputs) = (vec![], vec![]);
    for at in 1..8 {
        others.push((&one * at as f32)?);
        outputs.push(captured.replay(&[one.clone()])?.remove(0));
        others.push((&one * (at as f32 + 0.5))?);
    }
    for (at, pair) in others.chunks(2).enumerate() {
        let at = at as f32 + 1.0;
        assert_eq!(all(pair)?, [vec![at; 300], vec![at + 0.5; 300]]);
        assert_eq!(outputs[at as usize - 1].to_vec::<f32>()?, vec![3.0 * (2.0 * (at + 1.0) - 1.0); 300]);
    }
    drop(captured);
    assert_eq!(outputs[0].to_vec::<f32>()?, vec![9.0; 300]);
    Ok(())
}

fn other_inputs_are_refused(device: &Device) -> Result<()> {
    let step = |state: &[Tensor], inputs: &[Tensor]| Ok((vec![(&state[0] + &inputs[0])?], vec![]));
    let two = Tensor::ones([2], DType::F32, device)?;
    let mut captured = capture(&[two.clone()], &[two.clone()], step)?;
    let error = captured.replay(&[Tensor::ones([3], DType::F32, device)?]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "capture: the inputs: number 0 is f32 of shape [3], but f32 of shape [2] was recorded"
    );
    assert_eq!(
        captured.replay(&[Tensor::ones([2], DType::I32, device)?]).unwrap_err().kind(),
        ErrorKind::DType
    );
    assert_eq!(captured.replay(&[]).unwrap_err().kind(), ErrorKind::Length);
    assert!(captured.replay(&[two.clone()])?.is_empty());
    assert_eq!(all(&captured.state()?)?, [[2.0, 2.0]]);

    let grows = |state: &[Tensor], _: &[Tensor]| Ok((vec![Tensor::cat(&[&state[0], &state[0]], 0)?], vec![]));
    let error = capture(&[two], &[], grows).and_then(|mut captured| captured.replay(&[])).unwrap_err();
    assert!(error.to_string().contains("the state after the step: number 0 is f32 of shape [4]"), "{error}");
    assert_eq!(capture(&[], &[], |_, _| Ok((vec![], vec![]))).unwrap_err().kind(), ErrorKind::Length);
    Ok(())
}

fn what_cannot_be_recorded_is_refused(device: &Device, records: bool) -> Result<()> {
    let two = Tensor::ones([2], DType::F32, device)?;
    let draws = |state: &[Tensor], _: &[Tensor]| {
        let noise = Tensor::uniform([2], 0.0, 1.0, DType::F32, &state[0].device())?;
        Ok((vec![(&state[0] + noise)?], vec![]))
    };
    let error =
        capture(&[two.clone()], &[], draws).and_then(|mut captured| captured.replay(&[])).unwrap_err();
    assert!(error.to_string().contains("draws random numbers"), "{error}");

    let reads = |state: &[Tensor], _: &[Tensor]| {
        let sum = state[0].sum(..)?.item::<f32>()?;
        Ok((vec![(&state[0] * sum)?], vec![]))
    };
    let read = capture(&[two.clone()], &[], reads);
    assert_eq!(read.is_err(), records, "{:?}", read.err());

    let fails = |state: &[Tensor], _: &[Tensor]| {
        Ok((vec![(&state[0] + Tensor::ones([3], DType::F32, device)?)?], vec![]))
    };
    let error =
        capture(&[two.clone()], &[], fails).and_then(|mut captured| captured.replay(&[])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    // After all of these the device still works, and still records.
    let step = |state: &[Tensor], _: &[Tensor]| Ok((vec![(&state[0] * 2f32)?], vec![]));
    let mut captured = capture(&[two], &[], step)?;
    captured.replay(&[])?;
    captured.replay(&[])?;
    assert_eq!(all(&captured.state()?)?, [[4.0, 4.0]]);
    Ok(())
}

fn an_index_out_of_range_is_an_error(device: &Device, records: bool) -> Result<()> {
    let step =
        |state: &[Tensor], inputs: &[Tensor]| Ok((state.to_vec(), vec![picked(&state[0], &inputs[0])?]));
    let table = Tensor::from_vec(vec![1f32, 2.0, 3.0], [3], device)?;
    let ids = |ids: [i64; 2]| Tensor::from_vec(ids.to_vec(), [2], device);
    let mut captured = capture(&[table.clone()], &[ids([0, 1])?], step)?;
    assert_eq!(all(&captured.replay(&[ids([2, 0])?])?)?, [[3.0, 1.0]]);
    let read = captured.replay(&[ids([1, 3])?]).and_then(|outputs| all(&outputs));
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index, "{error}");
    assert_eq!(table.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    // The CPU has refused the step before it did anything.
    if captured.is_recorded() {
        assert_eq!(captured.replay(&[ids([0, 0])?]).unwrap_err().kind(), ErrorKind::Index);
    }
    each_replay_has_its_own_check(device, records)
}

/// However many doubts the inputs bring, and however many calls a step has.
fn each_replay_has_its_own_check(device: &Device, records: bool) -> Result<()> {
    let table = Tensor::from_vec(vec![1f32, 2.0, 3.0], [3], device)?;
    let ids = |ids: [i64; 3]| Tensor::from_vec(ids.to_vec(), [3], device);
    let step =
        |state: &[Tensor], inputs: &[Tensor]| Ok((state.to_vec(), vec![picked(&state[0], &inputs[0])?]));
    let mut captured = capture(&[table.clone()], &[ids([0, 1, 2])?], step)?;
    for _ in 0..70 {
        captured.replay(&[chosen(&ids([2, 0, 1])?, &ids([0, 1, 2])?)?])?;
    }
    let bad = captured.replay(&[chosen(&ids([0, 1, 3])?, &ids([2, 2, 0])?)?]);
    assert_eq!(bad.and_then(|outputs| all(&outputs)).unwrap_err().kind(), ErrorKind::Index);

    let many = |state: &[Tensor], inputs: &[Tensor]| {
        let parts = (0..1100).map(|_| picked(&state[0], &inputs[0])).collect::<Result<Vec<_>>>()?;
        Ok((state.to_vec(), parts[1098..].to_vec()))
    };
    let mut captured = capture(&[table.clone()], &[ids([0, 1, 2])?], many)?;
    assert_eq!(all(&captured.replay(&[ids([2, 1, 0])?])?)?, [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]);
    assert!(captured.replay(&[ids([2, 1, 9])?]).and_then(|outputs| all(&outputs)).is_err());

    // Each failure was told. A recording that is refused leaves none behind.
    let _ = device.sync();
    let reads = |state: &[Tensor], inputs: &[Tensor]| {
        let sum = picked(&state[0], &inputs[0])?.sum(..)?.item::<f32>()?;
        Ok((vec![(&state[0] * sum)?], vec![]))
    };
    assert_eq!(capture(&[table], &[ids([0, 1, 2])?], reads).is_err(), records);
    device.sync()
}
