//! Distributed parameters: when their gradients are reduced, and what becomes of them.

use crate::ops::{Diff, Tensor, add, call1, ints, matmul, mul, silu, tensor, values, varied};
use std::sync::{Arc, Mutex};
use tensor_op_autodiff::{AutodiffBackend, DistributedParams};
use tensor_op_core::{Backend, Error, ErrorKind};
use tensor_op_ndarray::NdArray;
use tensor_op_spec::prim::{Fold, Prim};

/// What a reducer saw, in order.
type Log = Arc<Mutex<Vec<(u64, Vec<f64>)>>>;

/// Doubles gradients, and remembers them.
fn doubling(id: u64, log: &Log) -> DistributedParams<NdArray> {
    let log = log.clone();
    DistributedParams::new(id, move |id, gradient| {
        log.lock().unwrap().push((id, values::<NdArray>(&gradient)));
        NdArray::apply(Prim::Add, vec![gradient.clone(), gradient])
    })
}

fn parameter(seed: usize, log: &Log) -> Tensor {
    varied(&[2, 2], seed).set_distributed_params(doubling(seed as u64, log)).unwrap()
}

#[test]
fn the_last_layer_is_reduced_first_and_while_the_pass_goes_on() {
    let log = Log::default();
    let w: Vec<Tensor> = (0..3).map(|seed| parameter(seed, &log)).collect();
    // An older parameter without a reducer, which the pass reaches last, sees how far it had come.
    let seen = Log::default();
    let first = varied(&[2, 2], 7).require_grad();
    let middle = call1(&silu(), &[&call1(&matmul(), &[&first, &w[0]])]);
    let at_middle = {
        let (log, seen) = (log.clone(), seen.clone());
        middle.set_distributed_params(DistributedParams::new(9, move |_, gradient| {
            seen.lock().unwrap().extend(log.lock().unwrap().iter().cloned());
            Ok(gradient)
        }))
    };
    let output =
        w[1..].iter().fold(at_middle.unwrap(), |x, w| call1(&silu(), &[&call1(&matmul(), &[&x, w])]));
    let gradients = output.backward().unwrap();
    let order = |log: &Log| log.lock().unwrap().iter().map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(order(&log), [2, 1, 0]);
    assert_eq!(order(&seen), [2], "the layer behind it was complete, its own completes with it");
    for (id, seen) in log.lock().unwrap().iter() {
        let doubled: Vec<f64> = seen.iter().map(|x| 2.0 * x).collect();
        assert_eq!(values::<NdArray>(gradients.get(&w[*id as usize]).unwrap()), doubled);
    }
    assert!(gradients.get(&first).is_some());
}

#[test]
fn a_gradient_is_reduced_once_and_whole() {
    let log = Log::default();
    let x = tensor(&[3.0], &[1]).set_distributed_params(doubling(5, &log)).unwrap();
    let y = call1(&add(), &[&call1(&mul(), &[&x, &x]), &x]);
    let mut gradients = y.backward().unwrap();
    assert_eq!(*log.lock().unwrap(), [(5, vec![7.0])]);
    assert_eq!(values::<NdArray>(&gradients.remove(&x).unwrap()), [14.0]);
    x.backward().unwrap();
    assert_eq!(log.lock().unwrap().len(), 2);
}

#[test]
fn what_is_behind_a_distributed_result_gets_its_own_gradient() {
    let log = Log::default();
    let x = tensor(&[3.0], &[1]).require_grad();
    let y = call1(&mul(), &[&x, &x]).set_distributed_params(doubling(1, &log)).unwrap();
    let gradients = call1(&mul(), &[&y, &y]).backward().unwrap();
    assert_eq!(values::<NdArray>(gradients.get(&y).unwrap()), [36.0]);
    assert_eq!(values::<NdArray>(gradients.get(&x).unwrap()), [18.0 * 6.0]);
}

#[test]
fn what_a_reducer_refuses_ends_the_pass() {
    let refuse = DistributedParams::new(3, |id, _| {
        Err(Error::new(ErrorKind::Backend, format!("parameter {id} is out of reach")))
    });
    let x = tensor(&[3.0], &[1]).set_distributed_params(refuse).unwrap();
    let error = call1(&mul(), &[&x, &x]).backward().unwrap_err();
    assert_eq!(error.to_string(), "reducer of parameter 3: parameter 3 is out of reach");
    let error = call1(&mul(), &[&x, &x]).backward_tracked().unwrap_err();
    assert!(error.to_string().contains("can't be tracked"), "{error}");
}

#[test]
fn a_reduced_gradient_is_like_the_gradient() {
    let whole = DistributedParams::new(3, |_, gradient| NdArray::reduce(Fold::Sum, gradient, &[0]));
    let x = tensor(&[3.0], &[1]).set_distributed_params(whole).unwrap();
    let error = call1(&mul(), &[&x, &x]).backward().unwrap_err();
    let wanted =
        "reducer of parameter 3: the reduced gradient has shape [], the tensor has [1]; they must agree";
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn the_surface_tells_distributed_tensors() {
    let log = Log::default();
    let x = Diff::set_distributed_params(tensor(&[3.0], &[1]), doubling(8, &log)).unwrap();
    assert!(Diff::is_distributed(&x));
    assert_eq!(Diff::distributed_params(&x).map(|params| params.id()), Some(8));
    assert!(!Diff::is_distributed(&x.clone().require_grad()));
    assert!(!Diff::is_distributed(&call1(&mul(), &[&x, &x])));
    assert!(!Diff::is_distributed(&tensor(&[3.0], &[1])));
    let error = Diff::set_distributed_params(ints(&[1], &[1]), doubling(8, &log)).unwrap_err();
    assert!(error.to_string().contains("i64 has no gradient"), "{error}");
}
