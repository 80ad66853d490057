//! The model of `examples/gpt` is the Llama of the library transformers: it gives the logits of a checkpoint
//! of it, and learns as it does in PyTorch.

#[path = "../examples/gpt/model.rs"]
mod model;
#[path = "../examples/gpt/text.rs"]
mod text;
#[path = "../examples/gpt/training.rs"]
mod training;

use model::{CONFIG, Config, Gpt};
use std::path::Path;
use tensor_op::optim::{AdamW, Optimizer, checkpoint};
use tensor_op::prelude::*;
use tensor_op::safetensors::SafeTensors;
use training::{learn, optimizer};

const LLAMA: Config = Config { width: 32, hidden: 88, layers: 2, dropout: 0.0, ..CONFIG };

/// A file on the CPU, which has all dtypes.
fn file(name: &str) -> Result<SafeTensors> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    SafeTensors::load(path, &Device::default())
}

fn llama(dtype: DType, device: &Device) -> Result<Gpt> {
    let mut model = Gpt::new(LLAMA, dtype, device)?;
    model.load_state_dict(&file("llama.safetensors")?.tensors)?;
    Ok(model)
}

fn compare(found: &Tensor, wanted: &Tensor, tolerance: f64) -> Result<()> {
    assert_eq!(found.shape(), wanted.shape());
    let far = (found.cast(DType::F64)? - wanted)?.abs()?.amax(..)?.item::<f64>()?;
    assert!(far <= tolerance, "{far} away");
    Ok(())
}

#[test]
fn a_checkpoint_gives_the_logits_of_transformers() -> Result<()> {
    compare_logits(DType::F64, &Device::default(), 1e-11)?;
    compare_logits(DType::F32, &Device::default(), 1e-4)
}

#[cfg(feature = "wgpu")]
#[test]
fn a_checkpoint_gives_the_logits_on_a_gpu() -> Result<()> {
    compare_logits(DType::F32, &Device::new("wgpu")?, 1e-4)
}

/// All at once, and in three parts with a cache.
fn compare_logits(dtype: DType, device: &Device, tolerance: f64) -> Result<()> {
    let host = Device::default();
    let (model, results) = (llama(dtype, device)?.frozen(), file("llama_results.safetensors")?);
    let (tokens, wanted) = (results.tensors["tokens"].to(device)?, &results.tensors["logits"]);
    compare(&model.logits(&tokens, None, None)?.to(&host)?, wanted, tolerance)?;
    let mut caches = model.caches(2, 20)?;
    for range in [0..5, 5..6, 6..16] {
        let logits = model.logits(&tokens.i((.., range.clone()))?, Some(&mut caches), None)?;
        compare(&logits.to(&host)?, &wanted.i((.., range))?, tolerance)?;
    }
    Ok(())
}

#[test]
fn losses_are_those_of_pytorch() -> Result<()> {
    let device = Device::default();
    let (mut model, mut optimizer) = (llama(DType::F64, &device)?, optimizer());
    let text = text::load(&device).unwrap();
    let wanted = file("llama_results.safetensors")?.tensors["losses"].to_vec::<f64>()?;
    for (step, wanted) in (0..).zip(wanted) {
        let starts = [1000 * step, 1000 * step + 500];
        let pieces = starts.map(|start: i64| text.i(start..start + 33).unwrap());
        let loss = model.loss(&Tensor::stack(&pieces, 0)?, None)?;
        optimizer.rule.lr = 3e-3;
        let loss = learn(&mut model, &mut optimizer, &loss)?;
        assert!((loss - wanted).abs() <= 1e-9 * wanted, "step {step}: loss {loss}, in PyTorch {wanted}");
    }
    Ok(())
}

#[test]
fn a_training_with_dropout_goes_on_to_the_bit() -> Result<()> {
    goes_on(&Device::default())
}

#[cfg(feature = "wgpu")]
#[test]
fn a_training_goes_on_to_the_bit_on_a_gpu() -> Result<()> {
    goes_on(&Device::new("wgpu")?)
}

fn goes_on(device: &Device) -> Result<()> {
    let config = Config { dropout: 0.1, ..LLAMA };
    let name = format!("tensor-op-gpt-{}-{device}.safetensors", std::process::id());
    let file = std::env::temp_dir().join(name);
    let text = text::load(device).unwrap();
    let new = || Result::Ok((Gpt::new(config.clone(), DType::F32, device)?, optimizer()));
    let step = |(model, optimizer): &mut (Gpt, Optimizer<AdamW>), step| {
        let loss = model.loss(&text::pieces(&text, 2, 17, step)?, Some(step))?;
        learn(model, optimizer, &loss)
    };
    let mut training = new()?;
    for at in 0..3 {
        step(&mut training, at)?;
    }
    checkpoint::save(&file, &training.0, &training.1)?;
    let mut resumed = new()?;
    checkpoint::load(&file, &mut resumed.0, &mut resumed.1)?;
    for at in 3..6 {
        assert_eq!(step(&mut training, at)?.to_bits(), step(&mut resumed, at)?.to_bits());
    }
    assert_eq!((training.1.steps()[0], resumed.1.steps()[0]), (6, 6));
    let (one, two) = (training.0.state_dict()?, resumed.0.state_dict()?);
    for (one, two) in one.values().zip(two.values()) {
        assert_eq!(one.to_data()?, two.to_data()?);
    }
    std::fs::remove_file(file).unwrap();
    Ok(())
}

#[test]
fn a_model_writes_as_many_letters_as_wanted() -> Result<()> {
    let model = llama(DType::F32, &Device::default())?.frozen();
    assert_eq!(text::write(&model, "In the beginning", 20, 1.0)?.chars().count(), 20);
    Ok(())
}
