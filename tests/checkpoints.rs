//! Checkpoints of a training, and caches of keys and values: what they refuse, and that nothing changes then.

use std::path::PathBuf;
use tensor_op::ErrorKind;
use tensor_op::catalogue::attention::KeyValueCache;
use tensor_op::optim::{AdamW, Groups, Lion, Optimizer, checkpoint};
use tensor_op::prelude::*;
use tensor_op::safetensors::SafeTensors;

#[derive(Clone, Module)]
struct Model {
    weight: Tensor,
}

#[derive(Module)]
struct Other {
    #[module(name = "optimizer.weight")]
    weight: Tensor,
}

fn model(dtype: DType) -> Result<Model> {
    let weight = Tensor::ones([2, 3], dtype, &Device::default())?;
    Ok(Model { weight: weight.require_grad() })
}

fn step(model: &mut Model, optimizer: &mut Optimizer<AdamW>) -> Result<()> {
    let gradients = model.weight.square()?.sum(..)?.backward()?;
    optimizer.step(model.parameters_mut(), &gradients)
}

/// A file of a model in f32 that has made a step.
fn file(name: &str) -> Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("tensor-op-{}-{name}.safetensors", std::process::id()));
    let (mut model, mut optimizer) = (model(DType::F32)?, Optimizer::new(AdamW::default()));
    step(&mut model, &mut optimizer)?;
    checkpoint::save(&path, &model, &optimizer)?;
    Ok(path)
}

#[test]
fn a_training_goes_on_in_another_dtype() -> Result<()> {
    let path = file("dtype")?;
    let (mut model, mut optimizer) = (model(DType::F64)?, Optimizer::new(AdamW::default()));
    checkpoint::load(&path, &mut model, &mut optimizer)?;
    step(&mut model, &mut optimizer)?;
    assert_eq!((optimizer.steps(), model.weight.dtype()), (&[2_i64][..], DType::F64));
    std::fs::remove_file(path).unwrap();
    Ok(())
}

#[test]
fn what_is_no_checkpoint_of_this_training_changes_nothing() -> Result<()> {
    let path = file("refused")?;
    let mut small = Model { weight: Tensor::from([1.0]).require_grad() };
    let error = checkpoint::load(&path, &mut small, &mut Optimizer::new(AdamW::default())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape, "{error}");

    let (mut model, mut optimizer) = (model(DType::F32)?, Optimizer::new(Lion::default()));
    let error = checkpoint::load(&path, &mut model, &mut optimizer).unwrap_err();
    assert!(error.to_string().contains("these tensors are of `AdamW`"), "{error}");
    assert_eq!(model.weight.to_vec::<f32>()?, [1.0; 6]);

    let alone = SafeTensors { tensors: model.state_dict()?, ..SafeTensors::default() };
    alone.save(&path)?;
    let error = checkpoint::load(&path, &mut model, &mut optimizer).unwrap_err();
    assert!(error.to_string().contains("has a model without an optimizer"), "{error}");

    let other = Other { weight: Tensor::from([1.0]) };
    let error = checkpoint::save(&path, &other, &optimizer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Name, "{error}");
    std::fs::remove_file(path).unwrap();
    Ok(())
}

#[derive(Clone, Module)]
struct Layer {
    norm: Tensor,
    weight: Tensor,
}

#[test]
fn groups_go_on_to_the_bit_in_another_dtype() -> Result<()> {
    let path = std::env::temp_dir().join(format!("tensor-op-{}-groups.safetensors", std::process::id()));
    let new = |dtype: DType| -> Result<(Layer, Groups<AdamW>)> {
        let ones = || Ok(Tensor::ones([3], dtype, &Device::default())?.require_grad());
        let no_decay = AdamW { weight_decay: 0.0, amsgrad: true, ..AdamW::default() };
        let groups = Groups::new(AdamW::default()).with(|name| name == "norm", no_decay);
        Ok((Layer { norm: ones()?, weight: ones()? }, groups))
    };
    let step = |layer: &mut Layer, groups: &mut Groups<AdamW>| -> Result<Vec<f32>> {
        let gradients = (&layer.weight * &layer.norm)?.square()?.sum(..)?.backward()?;
        groups.step(layer, &gradients)?;
        Ok([layer.norm.to_vec::<f32>()?, layer.weight.to_vec::<f32>()?].concat())
    };
    let (mut layer, mut groups) = new(DType::F32)?;
    step(&mut layer, &mut groups)?;
    checkpoint::save(&path, &layer, &groups)?;
    let (mut resumed, mut its_groups) = new(DType::F32)?;
    checkpoint::load(&path, &mut resumed, &mut its_groups)?;
    assert_eq!(step(&mut resumed, &mut its_groups)?, step(&mut layer, &mut groups)?);

    let (mut exact, mut its_groups) = new(DType::F64)?;
    checkpoint::load(&path, &mut exact, &mut its_groups)?;
    let gradients = (&exact.weight * &exact.norm)?.sum(..)?.backward()?;
    its_groups.step(&mut exact, &gradients)?;
    assert!(its_groups.state_dict()?.values().all(|x| x.dtype() != DType::F32));

    // One group is not two, and nothing has changed.
    let before = exact.norm.to_vec::<f64>()?;
    let error = checkpoint::load(&path, &mut exact, &mut Groups::new(AdamW::default())).unwrap_err();
    assert!(error.to_string().contains("belongs to none of the 1 groups"), "{error}");
    assert_eq!(exact.norm.to_vec::<f64>()?, before);
    std::fs::remove_file(path).unwrap();
    Ok(())
}

#[test]
fn a_cache_refuses_what_does_not_fit_and_stays() -> Result<()> {
    let device = Device::default();
    let zeros = |shape: [usize; 4]| Tensor::zeros(shape, DType::F32, &device);
    // Two texts, two heads of keys for four heads of queries, room for three tokens.
    let mut cache = KeyValueCache::new([2, 2, 3, 4], DType::F32, &device)?;
    let (query, new) = (zeros([2, 4, 2, 4])?, zeros([2, 2, 2, 4])?);
    cache.attend(&query, &new, &new)?;
    let kind = |cache: &mut KeyValueCache, [query, key, value]: [&Tensor; 3]| {
        cache.attend(query, key, value).map(|_| ()).map_err(|error| error.kind())
    };
    // No room, one text for two, other numbers of tokens, a lower rank, another dtype.
    assert_eq!(kind(&mut cache, [&query, &new, &new]), Err(ErrorKind::Index));
    let one = zeros([1, 2, 1, 4])?;
    let (single, token) = (zeros([2, 4, 1, 4])?, zeros([2, 2, 1, 4])?);
    assert_eq!(kind(&mut cache, [&single, &one, &token]), Err(ErrorKind::Shape));
    assert_eq!(kind(&mut cache, [&single, &token, &new]), Err(ErrorKind::Shape));
    assert_eq!(kind(&mut cache, [&single, &token.squeeze(2)?, &token]), Err(ErrorKind::Shape));
    let halves = token.cast(DType::F16)?;
    assert_eq!(kind(&mut cache, [&single, &halves, &token]), Err(ErrorKind::DType));
    assert_eq!(cache.len(), 2);
    assert_eq!(kind(&mut cache, [&single, &token, &token]), Ok(()));
    assert_eq!(cache.len(), 3);
    Ok(())
}
