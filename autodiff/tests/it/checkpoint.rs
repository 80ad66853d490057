//! Checkpointing: the same gradients from less memory.

use crate::metered::{self, Meter, Metered};
use crate::ops::{add, matmul, mul, norm, norm_with_hidden, scaled, silu};
use tensor_op_autodiff::{
    Autodiff, AutodiffTensor, BalancedCheckpointing, Checkpointing, DistributedParams, NoCheckpointing,
};
use tensor_op_core::{Backend, DType, GraphOp, Shape, TensorData, Value};
use tensor_op_spec::ir::Scalar;

type Tensor = AutodiffTensor<Metered>;

const LAYERS: usize = 12;
const TOKENS: usize = 64;
const WIDTH: usize = 8;
const INNER: usize = 4 * WIDTH;
/// Bytes of the activations of one layer, of the outer width.
const ACTIVATIONS: usize = TOKENS * WIDTH * size_of::<f64>();

fn tensor(shape: &[usize], seed: usize) -> Tensor {
    let count = shape.iter().product();
    let elements: Vec<f64> = (0..count).map(|i| ((i * 7 + seed * 13) as f64 * 0.37).sin() * 0.5).collect();
    let data = TensorData::new(elements, shape).unwrap();
    AutodiffTensor::from_inner(Metered::from_data(data, &Default::default()).unwrap())
}

fn call<C: Checkpointing>(op: &GraphOp, args: &[&Tensor]) -> Tensor {
    let args = args.iter().map(|tensor| Value::Tensor((*tensor).clone())).collect();
    Autodiff::<Metered, C>::run(op, args, &[true]).unwrap().remove(0).unwrap()
}

fn bits(tensor: &<Metered as Backend>::Tensor) -> Vec<u64> {
    let values: Vec<f64> = Metered::into_data(tensor.clone()).unwrap().to_vec().unwrap();
    values.into_iter().map(f64::to_bits).collect()
}

struct Layer {
    gamma: Tensor,
    w: Tensor,
    v: Tensor,
}

impl Layer {
    fn new(seed: usize) -> Layer {
        Layer {
            gamma: tensor(&[WIDTH], seed).require_grad(),
            w: tensor(&[WIDTH, INNER], seed + 1).require_grad(),
            v: tensor(&[INNER, WIDTH], seed + 2).require_grad(),
        }
    }

    fn forward<C: Checkpointing>(&self, ops: &Ops, x: Tensor) -> Tensor {
        let normed = call::<C>(&ops.norm, &[&x, &self.gamma]);
        let inner = call::<C>(&ops.matmul, &[&normed, &self.w]);
        let out = call::<C>(&ops.matmul, &[&call::<C>(&ops.silu, &[&inner]), &self.v]);
        call::<C>(&ops.add, &[&x, &out])
    }
}

struct Ops {
    norm: GraphOp,
    matmul: GraphOp,
    silu: GraphOp,
    add: GraphOp,
}

struct Run {
    gradients: Vec<Vec<u64>>,
    held: usize,
    forward: Meter,
    backward: Meter,
}

/// A residual network, forward and backward.
fn train<C: Checkpointing>() -> Run {
    let ops = Ops { norm: norm(), matmul: matmul(), silu: silu(), add: add() };
    let layers: Vec<Layer> = (0..LAYERS).map(|layer| Layer::new(3 * layer)).collect();
    let input = tensor(&[TOKENS, WIDTH], 99).require_grad();
    let before = metered::read().alive;
    let output = layers.iter().fold(input.clone(), |x, layer| layer.forward::<C>(&ops, x));
    let held = output.held_bytes(metered::storage);
    let mut forward = metered::read();
    let found = output.backward().unwrap();
    let mut backward = metered::read();
    for meter in [&mut forward, &mut backward] {
        meter.peak -= before;
    }
    let parameters = layers.iter().flat_map(|layer| [&layer.gamma, &layer.w, &layer.v]);
    let gradients = parameters.chain([&input]).map(|x| bits(found.get(x).unwrap())).collect();
    Run { gradients, held, forward, backward }
}

#[test]
fn a_residual_network_keeps_half_and_its_gradients() {
    let (plain, balanced) = (train::<NoCheckpointing>(), train::<BalancedCheckpointing>());
    assert_eq!(plain.gradients, balanced.gradients);
    let parameters = LAYERS * (WIDTH + 2 * WIDTH * INNER) * size_of::<f64>();
    assert_eq!(plain.held, parameters + LAYERS * 10 * ACTIVATIONS);
    assert_eq!(balanced.held, parameters + LAYERS * 5 * ACTIVATIONS);
    // The parameters are older than the peak; the last result, which nothing saves, is alive too.
    assert!(balanced.backward.peak as f64 <= 0.6 * plain.backward.peak as f64);
    assert!(balanced.forward.peak as f64 <= 0.6 * plain.forward.peak as f64);
    assert_eq!(plain.backward.runs.get("norm"), None);
    assert_eq!(balanced.backward.runs["norm"], LAYERS);
    assert_eq!(balanced.backward.runs["silu"], LAYERS);
    assert_eq!(balanced.backward.runs.get("matmul"), None, "products are kept");
    assert_eq!(balanced.backward.runs.get("add"), None, "a sum that frees nothing is kept");
}

#[test]
fn a_value_is_computed_once_for_all_that_need_it() {
    let (matmul, silu, add) = (matmul(), silu(), add());
    let x = tensor(&[4, 4], 0).require_grad();
    let w: Vec<Tensor> = (1..4).map(|seed| tensor(&[4, 4], seed).require_grad()).collect();
    let shared = call::<BalancedCheckpointing>(&silu, &[&x]);
    let products: Vec<Tensor> =
        w.iter().map(|w| call::<BalancedCheckpointing>(&matmul, &[&shared, w])).collect();
    drop(shared);
    let sum = call::<BalancedCheckpointing>(&add, &[&products[0], &products[1]]);
    let sum = call::<BalancedCheckpointing>(&add, &[&sum, &products[2]]);
    drop(metered::read());
    sum.backward().unwrap();
    assert_eq!(metered::read().runs["silu"], 1);
}

#[test]
fn a_distributed_parameter_that_is_complete_early_drops_no_value() {
    let (matmul, silu, add) = (matmul(), silu(), add());
    let x = tensor(&[4, 4], 0).require_grad();
    let parameter = |seed| {
        let params = DistributedParams::new(seed as u64, |_, gradient| Ok(gradient));
        tensor(&[4, 4], seed).set_distributed_params(params).unwrap()
    };
    let w: Vec<Tensor> = (1..4).map(parameter).collect();
    let shared = call::<BalancedCheckpointing>(&silu, &[&x]);
    let products: Vec<Tensor> =
        w.iter().map(|w| call::<BalancedCheckpointing>(&matmul, &[&shared, w])).collect();
    drop(shared);
    let sum = call::<BalancedCheckpointing>(&add, &[&products[0], &products[1]]);
    let sum = call::<BalancedCheckpointing>(&add, &[&sum, &products[2]]);
    drop(metered::read());
    sum.backward().unwrap();
    assert_eq!(metered::read().runs["silu"], 1);
}

#[test]
fn fewer_results_than_at_first_are_an_error() {
    let x = tensor(&[4, 4], 0).require_grad();
    let y = call::<BalancedCheckpointing>(&silu(), &[&x]);
    let y = call::<BalancedCheckpointing>(&matmul(), &[&y, &tensor(&[4, 3], 2).require_grad()]);
    metered::silence("silu");
    let error = y.backward().unwrap_err();
    let wanted = "silu: gave fewer results when it ran again for the backward pass than at first";
    assert_eq!(error.to_string(), wanted);
}

/// Applies an op of one argument again and again, and gives held bytes and gradient.
fn chain<C: Checkpointing>(length: usize, op: &GraphOp) -> (usize, Vec<u64>, usize) {
    let x = tensor(&[100], 5).require_grad();
    let y = (0..length).fold(x.clone(), |y, _| call::<C>(op, &[&y]));
    let held = y.held_bytes(metered::storage) / (100 * size_of::<f64>());
    let before = metered::read().alive;
    let gradient = bits(y.backward().unwrap().get(&x).unwrap());
    let peak = metered::read().peak - before;
    (held, gradient, peak / (100 * size_of::<f64>()))
}

#[test]
fn a_long_chain_keeps_every_ninth_value() {
    let (held, gradient, _) = chain::<NoCheckpointing>(90, &silu());
    assert_eq!(held, 90);
    let (fewer, same, peak) = chain::<BalancedCheckpointing>(90, &silu());
    assert_eq!(fewer, 10);
    assert_eq!(gradient, same);
    assert!(peak <= 20, "a chain is computed again when it is needed, not before: {peak}");
}

#[test]
fn a_chain_of_2_000_nodes_is_as_deep_as_its_recipes() {
    let run = || drop(chain::<BalancedCheckpointing>(2_000, &silu()));
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn what_would_keep_as_much_is_kept() {
    let (x, y) = (tensor(&[100], 0).require_grad(), tensor(&[100], 1).require_grad());
    let matmul = matmul();
    let product = |x: &Tensor| {
        let row = Autodiff::<Metered>::reshape(x.clone(), Shape::new(&[100, 1])).unwrap();
        call::<BalancedCheckpointing>(&matmul, &[&row, &tensor(&[1, 1], 3)])
    };
    let (x, y) = (product(&x), product(&y));
    let total = call::<BalancedCheckpointing>(&add(), &[&x, &y]);
    drop((x, y));
    let z = call::<BalancedCheckpointing>(&silu(), &[&total]);
    drop(total);
    // The sum, and the factors of the products.
    assert_eq!(z.held_bytes(metered::storage), (100 + 1 + 1) * size_of::<f64>());
}

#[test]
fn movements_and_primitives_are_computed_again_too() {
    fn run<C: Checkpointing>() -> (Vec<u64>, usize) {
        type Diff<C> = Autodiff<Metered, C>;
        let x = tensor(&[8, 4], 0).require_grad();
        let y = call::<C>(&silu(), &[&x]);
        let y = Diff::<C>::permute(Diff::<C>::reshape(y, Shape::new(&[4, 8])).unwrap(), &[1, 0]).unwrap();
        let y = Diff::<C>::cast(Diff::<C>::slice(y, &[(0, 8, 2), (0, 4, 1)]).unwrap(), DType::F32).unwrap();
        let y = Diff::<C>::apply(tensor_op_spec::prim::Prim::Sin, vec![y]).unwrap();
        let y = Diff::<C>::cast(y, DType::F64).unwrap();
        let y = Diff::<C>::cat(vec![y.clone(), y], 0).unwrap();
        let y = call::<C>(&matmul(), &[&y, &tensor(&[4, 3], 2).require_grad()]);
        let held = y.held_bytes(metered::storage);
        (bits(y.backward().unwrap().get(&x).unwrap()), held)
    }
    let ((gradient, held), (same, fewer)) = (run::<NoCheckpointing>(), run::<BalancedCheckpointing>());
    assert_eq!(gradient, same);
    assert_eq!(fewer, (8 * 4 + 4 * 3) * size_of::<f64>(), "the input and the factor; it was {held}");
}

#[test]
fn scalars_are_part_of_a_recipe() {
    fn run<C: Checkpointing>() -> Vec<u64> {
        let x = tensor(&[4, 4], 0).require_grad();
        let args = vec![Value::Tensor(x.clone()), Value::Scalar(Scalar::Float(3.0))];
        let y = Autodiff::<Metered, C>::run(&scaled(), args, &[true]).unwrap().remove(0).unwrap();
        let y = call::<C>(&matmul(), &[&y, &tensor(&[4, 3], 2).require_grad()]);
        bits(y.backward().unwrap().get(&x).unwrap())
    }
    assert_eq!(run::<NoCheckpointing>(), run::<BalancedCheckpointing>());
}

#[test]
fn what_is_computed_again_can_be_differentiated_twice() {
    fn run<C: Checkpointing>() -> Vec<u64> {
        let x = tensor(&[3], 0).require_grad();
        let y = call::<C>(&mul(), &[&call::<C>(&silu(), &[&x]), &x]);
        let y = call::<C>(&mul(), &[&y, &y]);
        let first = y.backward_tracked().unwrap().remove(&x).unwrap();
        bits(first.backward().unwrap().get(&x).unwrap())
    }
    assert_eq!(run::<NoCheckpointing>(), run::<BalancedCheckpointing>());
}

#[test]
fn hidden_results_are_kept_and_declared_ones_computed_again() {
    fn run<C: Checkpointing>() -> (Vec<u64>, usize) {
        let x = tensor(&[TOKENS, WIDTH], 0).require_grad();
        let (gamma, w) = (tensor(&[WIDTH], 1).require_grad(), tensor(&[WIDTH, WIDTH], 2).require_grad());
        let args = vec![Value::Tensor(x.clone()), Value::Tensor(gamma)];
        let normed =
            Autodiff::<Metered, C>::run(&norm_with_hidden(), args, &[true, false]).unwrap().remove(0);
        let y = call::<C>(&matmul(), &[&normed.unwrap(), &w]);
        let held = y.held_bytes(metered::storage);
        (bits(y.backward().unwrap().get(&x).unwrap()), held)
    }
    let ((gradient, held), (same, fewer)) = (run::<NoCheckpointing>(), run::<BalancedCheckpointing>());
    assert_eq!(gradient, same);
    assert_eq!(held - fewer, ACTIVATIONS);
    assert_eq!(fewer, ACTIVATIONS + (TOKENS + WIDTH + WIDTH * WIDTH) * size_of::<f64>());
}
