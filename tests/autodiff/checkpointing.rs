//! A residual network of declared ops keeps less memory with checkpointing, and has the same gradients bit
//! for bit.

use tensor_op::autodiff::{AutodiffTensor, BalancedCheckpointing, Checkpointing, NoCheckpointing};
use tensor_op::catalogue::arith::AddBackend;
use tensor_op::catalogue::nn::{MatmulBackend, RmsNormBackend, SiluMulBackend};
use tensor_op::cpu::NdArrayTensor;
use tensor_op::{Autodiff, Backend, NdArray, Result, TensorData};

type Tensor = AutodiffTensor<NdArray>;

const LAYERS: usize = 12;
const TOKENS: usize = 130;
const WIDTH: usize = 12;
const INNER: usize = 4 * WIDTH;

fn elements(shape: &[usize], seed: usize) -> Vec<f32> {
    let count = shape.iter().product();
    (0..count).map(|i| ((i * 7 + seed * 13) as f32 * 0.37).sin() * 0.4).collect()
}

fn tensor(shape: &[usize], seed: usize) -> Result<Tensor> {
    let data = TensorData::new(elements(shape, seed), shape)?;
    Ok(AutodiffTensor::from_inner(NdArray::from_data(data, &Default::default())?).require_grad())
}

struct Layer {
    gamma: Tensor,
    up: Tensor,
    gate: Tensor,
    down: Tensor,
}

impl Layer {
    fn new(seed: usize) -> Result<Layer> {
        Ok(Layer {
            gamma: tensor(&[WIDTH], seed)?,
            up: tensor(&[WIDTH, INNER], seed + 1)?,
            gate: tensor(&[WIDTH, INNER], seed + 2)?,
            down: tensor(&[INNER, WIDTH], seed + 3)?,
        })
    }

    fn forward<C: Checkpointing>(&self, x: Tensor) -> Result<Tensor> {
        type On<C> = Autodiff<NdArray, C>;
        let normed = On::<C>::rms_norm(x.clone(), self.gamma.clone(), 1e-5)?;
        let up = <On<C> as MatmulBackend>::matmul(normed.clone(), self.up.clone())?;
        let gate = <On<C> as MatmulBackend>::matmul(normed, self.gate.clone())?;
        let gated = On::<C>::silu_mul(up, gate)?;
        let out = <On<C> as MatmulBackend>::matmul(gated, self.down.clone())?;
        <On<C> as AddBackend>::add(x, out)
    }

    fn parameters(&self) -> [&Tensor; 4] {
        [&self.gamma, &self.up, &self.gate, &self.down]
    }
}

/// The bits of all gradients, and the bytes that the graph keeps in addition to the parameters.
fn train<C: Checkpointing>() -> Result<(Vec<Vec<u32>>, usize)> {
    let layers = (0..LAYERS).map(|layer| Layer::new(4 * layer)).collect::<Result<Vec<_>>>()?;
    let input = tensor(&[TOKENS, WIDTH], 99)?;
    let output = layers.iter().try_fold(input.clone(), |x, layer| layer.forward::<C>(x))?;
    let address = |tensor: &NdArrayTensor| tensor.as_slice::<f32>().ok().flatten().map(<[f32]>::as_ptr);
    let parameters = LAYERS * (WIDTH + 3 * WIDTH * INNER) * size_of::<f32>();
    let held = output.held_bytes(address) - parameters;
    let gradients = output.backward()?;
    let of = |x: &Tensor| {
        let gradient = gradients.get(x).expect("every parameter has one").clone();
        let elements: Vec<f32> = NdArray::into_data(gradient)?.into_vec()?;
        Ok(elements.into_iter().map(f32::to_bits).collect())
    };
    let all = layers.iter().flat_map(Layer::parameters).chain([&input]).map(of).collect::<Result<_>>()?;
    Ok((all, held))
}

#[test]
fn gradients_are_the_same_and_two_thirds_of_the_bytes_are_kept() -> Result<()> {
    let (gradients, held) = train::<NoCheckpointing>()?;
    let (same, fewer) = train::<BalancedCheckpointing>()?;
    assert_eq!(gradients, same);
    check_held(held, fewer);
    Ok(())
}

fn check_held(held: usize, fewer: usize) {
    // Each layer has `x`, its norm, and three tensors of the inner width. The norm and the last of the three
    // are computed again. The statistics of the rows are kept too.
    let (outer, rows) = (TOKENS * WIDTH * size_of::<f32>(), TOKENS * size_of::<f32>());
    assert_eq!(held, LAYERS * ((1 + 1 + 3 * 4) * outer + rows));
    assert_eq!(fewer, LAYERS * ((1 + 2 * 4) * outer + rows));
}

/// The same network with the user's tensor, where a scope chooses the strategy.
mod scoped {
    use super::{INNER, LAYERS, TOKENS, WIDTH, check_held};
    use std::panic::catch_unwind;
    use tensor_op::catalogue::nn::{matmul, rms_norm, silu_mul};
    use tensor_op::{Device, NdArray, Result, Tensor, checkpoint};

    fn tensor(shape: &[usize], seed: usize) -> Result<Tensor> {
        Ok(Tensor::from_vec(super::elements(shape, seed), shape, &Device::default())?.require_grad())
    }

    fn parameters() -> Result<Vec<[Tensor; 4]>> {
        let shapes: [&[usize]; 4] = [&[WIDTH], &[WIDTH, INNER], &[WIDTH, INNER], &[INNER, WIDTH]];
        let layer = |layer: usize| {
            let [gamma, up, gate, down] = shapes;
            let seed = 4 * layer;
            Ok([
                tensor(gamma, seed)?,
                tensor(up, seed + 1)?,
                tensor(gate, seed + 2)?,
                tensor(down, seed + 3)?,
            ])
        };
        (0..LAYERS).map(layer).collect()
    }

    fn forward(x: Tensor, [gamma, up, gate, down]: &[Tensor; 4]) -> Result<Tensor> {
        let normed = rms_norm(&x, gamma, None)?;
        let gated = silu_mul(matmul(&normed, up)?, matmul(&normed, gate)?)?;
        x + matmul(gated, down)?
    }

    fn held_bytes(tensor: &Tensor) -> usize {
        let address = |tensor: &tensor_op_core::DynTensor| {
            let tensor = tensor.clone().try_into_primitive::<NdArray>().expect("on the cpu");
            tensor.as_slice::<f32>().ok().flatten().map(<[f32]>::as_ptr)
        };
        tensor.primitive().held_bytes(address) - LAYERS * (WIDTH + 3 * WIDTH * INNER) * size_of::<f32>()
    }

    fn gradients(output: &Tensor, parameters: &[[Tensor; 4]]) -> Result<Vec<Vec<u32>>> {
        let found = output.backward_with(&output.ones_like()?)?;
        let bits = |x: &Tensor| {
            let elements = found.get(x).expect("every parameter has one").to_vec::<f32>()?;
            Ok(elements.into_iter().map(f32::to_bits).collect())
        };
        parameters.iter().flatten().map(bits).collect()
    }

    #[test]
    fn a_scope_keeps_less_and_gives_the_same_gradients() -> Result<()> {
        let (parameters, input) = (parameters()?, tensor(&[TOKENS, WIDTH], 99)?);
        let run = || parameters.iter().try_fold(input.clone(), forward);
        let (kept, again) = (run()?, checkpoint(run)?);
        check_held(held_bytes(&kept), held_bytes(&again));
        assert_eq!(gradients(&kept, &parameters)?, gradients(&again, &parameters)?);
        Ok(())
    }

    #[test]
    fn a_scope_ends_where_it_ends() -> Result<()> {
        let (parameters, input) = (parameters()?, tensor(&[TOKENS, WIDTH], 99)?);
        let held = || parameters.iter().try_fold(input.clone(), forward).map(|output| held_bytes(&output));
        let outside = held()?;
        let inside = checkpoint(|| {
            checkpoint(|| ());
            held()
        })?;
        assert!(inside < outside);
        assert!(catch_unwind(|| checkpoint(|| panic!("in the scope"))).is_err());
        assert_eq!(held()?, outside);
        Ok(())
    }
}
