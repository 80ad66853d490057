//! Models whose tensors have names, and files of them.

use std::collections::BTreeMap;
use std::fs;
use tensor_op::optim::{AdamW, Optimizer, Sgd};
use tensor_op::prelude::*;
use tensor_op::safetensors::SafeTensors;
use tensor_op::{ErrorKind, Shape};

#[derive(Clone, Module)]
struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
}

#[derive(Module)]
struct Pair<A, B>(A, #[module(name = "second.part")] B);

#[derive(Module)]
#[allow(dead_code, reason = "no tensor is in it")]
struct Network<'a, M: Clone, const N: usize>
where
    M: Sized,
{
    r#final: M,
    layers: Vec<Linear>,
    heads: [Tensor; N],
    boxed: Box<Pair<Tensor, Option<Tensor>>>,
    #[module(skip)]
    label: &'a str,
}

#[derive(Module)]
struct Nothing;

/// Has no tensors in its parameter.
#[derive(Module)]
#[allow(dead_code, reason = "no tensor is in it")]
struct Skipping<T> {
    weight: Tensor,
    #[module(skip)]
    activation: fn(T) -> T,
}

fn ones(shape: impl Into<Shape>) -> Tensor {
    Tensor::ones(shape, DType::F32, &Device::default()).unwrap().require_grad()
}

fn linear(has_bias: bool) -> Linear {
    Linear { weight: ones([2, 3]), bias: has_bias.then(|| ones([2])) }
}

fn network() -> Network<'static, Linear, 2> {
    let boxed = Box::new(Pair(ones([1]).detach(), Some(ones([4]))));
    let (layers, heads) = (vec![linear(true), linear(false)], [ones([1]), ones([2])]);
    Network { r#final: linear(false), layers, heads, boxed, label: "" }
}

const NAMES: [&str; 8] = [
    "final.weight",
    "layers.0.weight",
    "layers.0.bias",
    "layers.1.weight",
    "heads.0",
    "heads.1",
    "boxed.0",
    "boxed.second.part",
];

#[test]
fn tensors_are_named_by_fields() {
    let mut network = network();
    let names: Vec<String> = network.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, NAMES);
    let shapes: Vec<Shape> = network.parameters().into_iter().map(Tensor::shape).collect();
    let changed: Vec<Shape> = network.parameters_mut().into_iter().map(|x| x.shape()).collect();
    assert_eq!(shapes, changed);
    assert_eq!(changed[7], Shape::from([4]));
    assert!(Nothing.parameters().is_empty());
    let skipping = Skipping { weight: ones([1]), activation: |x: usize| x };
    assert_eq!(skipping.parameters().len(), 1);
}

#[test]
fn one_name_for_two_tensors_is_an_error() {
    #[derive(Module)]
    struct Twice {
        a: Linear,
        #[module(name = "a.weight")]
        b: Tensor,
    }
    let mut twice = Twice { a: linear(false), b: ones([1]) };
    let error = twice.state_dict().unwrap_err();
    assert_eq!(error.to_string(), "state_dict: two tensors have the name `a.weight`");
    let error = twice.load_state_dict(&BTreeMap::new()).unwrap_err();
    assert_eq!(error.to_string(), "load_state_dict: two tensors have the name `a.weight`");
}

#[test]
fn loaded_tensors_keep_the_form_of_the_model() -> Result<()> {
    let mut state = network().state_dict()?;
    let half = Tensor::full([2, 3], 0.1_f64, &Device::default())?;
    state.insert("layers.1.weight".to_string(), half);
    let mut network = network();
    network.load_state_dict(&state)?;
    assert_eq!(network.layers[1].weight.to_vec::<f32>()?, [0.1_f32; 6]);
    assert!(network.layers[1].weight.is_tracked() && !network.boxed.0.is_tracked());
    Ok(())
}

#[test]
fn what_does_not_fit_changes_nothing() -> Result<()> {
    let fails = |change: &dyn Fn(&mut BTreeMap<String, Tensor>)| -> Result<String> {
        let mut state = network().state_dict()?;
        state.values_mut().try_for_each(|x| x.zeros_like().map(|zeros| *x = zeros))?;
        change(&mut state);
        let mut network = network();
        let error = network.load_state_dict(&state).unwrap_err();
        assert!(network.parameters().iter().all(|x| x.to_vec::<f32>().unwrap().iter().all(|x| *x == 1.0)));
        Ok(error.to_string())
    };
    let missing = fails(&|state| drop(state.remove("heads.1")))?;
    assert_eq!(missing, "load_state_dict: there is no `heads.1` among the tensors");
    let unknown = fails(&|state| drop(state.insert("tail".into(), ones([1]))))?;
    assert_eq!(unknown, "load_state_dict: the model has no `tail`, of which there is a tensor");
    let shape = fails(&|state| drop(state.insert("heads.1".into(), ones([3]))))?;
    assert_eq!(shape, "load_state_dict: `heads.1` has shape [2], and its tensor has shape [3]");
    Ok(())
}

/// A step of a training.
fn step(model: &mut Linear, optimizer: &mut Optimizer<AdamW>) -> Result<()> {
    let x = Tensor::linspace(-1.0, 1.0, 12, DType::F32, &Device::default())?.reshape([4, 3])?;
    let loss = x.linear(&model.weight, &model.bias)?.square()?.sum(..)?;
    let gradients = loss.backward()?;
    drop(loss);
    optimizer.step(model.parameters_mut(), &gradients)
}

#[test]
fn a_training_goes_on_from_files_to_the_bit() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("tensor-op-module-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (weights, memory) = (folder.join("model.safetensors"), folder.join("optimizer.safetensors"));
    let (mut model, mut optimizer) = (linear(true), Optimizer::new(AdamW::default()));
    step(&mut model, &mut optimizer)?;
    SafeTensors { tensors: model.state_dict()?, ..SafeTensors::default() }.save(&weights)?;
    SafeTensors { tensors: optimizer.state_dict()?, ..SafeTensors::default() }.save(&memory)?;

    let (mut resumed, mut resumed_optimizer) = (linear(true), Optimizer::new(AdamW::default()));
    resumed.load_state_dict(&SafeTensors::load(&weights, &Device::default())?.tensors)?;
    resumed_optimizer.load_state_dict(&SafeTensors::load(&memory, &Device::default())?.tensors)?;
    for _ in 0..3 {
        step(&mut model, &mut optimizer)?;
        step(&mut resumed, &mut resumed_optimizer)?;
    }
    let bits = |model: &Linear| -> Result<Vec<u32>> {
        let all = model.parameters().into_iter().map(Tensor::to_vec::<f32>).collect::<Result<Vec<_>>>()?;
        Ok(all.concat().into_iter().map(f32::to_bits).collect())
    };
    assert_eq!(bits(&model)?, bits(&resumed)?);
    assert_eq!(resumed_optimizer.steps(), [4, 4]);
    fs::remove_dir_all(folder).unwrap();
    Ok(())
}

#[test]
fn all_dtypes_go_through_bytes() -> Result<()> {
    let numbers = Tensor::from([[0.0, 1.0, 2.5], [-3.0, 200.0, 7.0]]);
    let mut file = SafeTensors::default();
    for dtype in DType::ALL {
        file.tensors.insert(dtype.to_string(), numbers.cast(dtype)?);
    }
    file.tensors.insert("empty".into(), Tensor::zeros([0, 3], DType::F32, &Device::default())?);
    file.tensors.insert("turned".into(), numbers.transpose(0, 1)?);
    file.metadata.insert("format".into(), "pt".into());
    let found = SafeTensors::from_bytes(&file.to_bytes()?, &Device::default())?;
    assert_eq!(found.metadata, file.metadata);
    for ((name, found), (_, wanted)) in found.tensors.iter().zip(&file.tensors) {
        assert_eq!(found.to_data()?, wanted.to_data()?, "{name}");
    }
    assert_eq!(found.tensors.len(), file.tensors.len());
    Ok(())
}

#[test]
fn bad_files_are_errors() -> Result<()> {
    let device = Device::default();
    let error = SafeTensors::load("no/such.safetensors", &device).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.to_string().starts_with("load: no/such.safetensors: "), "{error}");
    let file = SafeTensors { tensors: linear(true).state_dict()?, ..SafeTensors::default() };
    let error = file.save("no/such.safetensors").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File);
    let tensors = BTreeMap::from([("__metadata__".to_string(), ones([1]))]);
    let error = SafeTensors { tensors, ..SafeTensors::default() }.to_bytes().unwrap_err();
    assert!(error.to_string().contains("`__metadata__`"), "{error}");
    let bytes = file.to_bytes()?;
    for cut in [0, 7, 8, 20, bytes.len() - 1] {
        let error = SafeTensors::from_bytes(&bytes[..cut], &device).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File, "{error}");
    }
    let header = br#"{"x":{"dtype":"I16","shape":[1],"data_offsets":[0,2]}}"#;
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header, &[0, 0]].concat();
    let error = SafeTensors::from_bytes(&bytes, &device).unwrap_err();
    assert_eq!(error.to_string(), "from_bytes: `x` is of I16, and there are no tensors of this dtype");
    Ok(())
}

#[test]
fn states_of_other_optimizers_are_errors() -> Result<()> {
    let fails = |names: &[(&str, Tensor)]| {
        let mut state = Optimizer::new(Sgd::default()).state_dict().unwrap();
        state.extend(names.iter().map(|(name, x)| (name.to_string(), x.clone())));
        Optimizer::new(Sgd::default()).load_state_dict(&state).unwrap_err().to_string()
    };
    let steps = |steps: &[i64]| Tensor::from_vec(steps.to_vec(), [steps.len()], &Device::default()).unwrap();
    assert!(fails(&[("rule", ones([1]))]).contains("`rule` is f32 [1], not u8"));
    assert!(fails(&[("steps", ones([1]))]).contains("`steps` is f32 [1], not i64"));
    assert!(fails(&[("steps", steps(&[0, -1]))]).contains("-1 for parameter 1"));
    let unknown = fails(&[("steps", steps(&[1])), ("0.0", ones([1])), ("1.0", ones([1]))]);
    assert!(unknown.contains("`1.0` belongs to none of the 1 parameters"), "{unknown}");
    let gap = fails(&[("steps", steps(&[1])), ("0.1", ones([1]))]);
    assert!(gap.contains("`0.1` belongs to none"), "{gap}");
    for missing in ["rule", "steps"] {
        let mut state = Optimizer::new(Sgd::default()).state_dict()?;
        state.remove(missing);
        let message = Optimizer::new(Sgd::default()).load_state_dict(&state).unwrap_err().to_string();
        assert_eq!(message, format!("load_state_dict: there is no `{missing}` among the tensors"));
    }
    Ok(())
}
