//! A sample with its tensors on the device, and the expected results.

use crate::call::{Argument, Call};
use crate::check::Expected;
use crate::data::{Loaded, Values};
use crate::written::{self, File};
use safetensors::SafeTensors;
use tensor_op::Tensor;

pub(crate) struct Sample {
    pub(crate) call: Call,
    pub(crate) expected: Expected,
}

impl Sample {
    /// Loads a sample. Float arguments at the positions `constants` have no gradient; position `1` is the
    /// first argument after the input.
    pub(crate) fn load(file: &File, sample: &written::Sample, constants: &[&str]) -> Loaded<Sample> {
        let mut loader = Loader {
            tensors: file.tensors()?,
            places: gradient_places(file, sample, constants)?,
            tracked: vec![],
        };
        let call = Call {
            input: loader.argument("0", &sample.input)?,
            args: sample
                .args
                .iter()
                .enumerate()
                .map(|(i, value)| loader.argument(&(i + 1).to_string(), value))
                .collect::<Loaded<_>>()?,
            kwargs: sample
                .kwargs
                .iter()
                .map(|(name, value)| Ok((name.clone(), loader.argument(name, value)?)))
                .collect::<Loaded<_>>()?,
        };
        let values = |value: &written::Value| load(&loader.tensors, value);
        let outputs = sample.outputs.iter().map(values).collect::<Loaded<_>>()?;
        let seeds = sample.seeds.iter().map(|value| Ok(values(value)?.tensor()?)).collect::<Loaded<_>>()?;
        let mut gradients = vec![];
        for (input, gradient) in loader.tracked.iter().zip(&sample.grads) {
            let wanted =
                if matches!(gradient, written::Value::None) { None } else { Some(values(gradient)?) };
            gradients.push((input.clone(), wanted));
        }
        Ok(Sample { call, expected: Expected { outputs, seeds, gradients } })
    }
}

/// The positions of the float tensors that have gradients. The file lists gradients in order, but does not
/// say to which input they belong. Each gradient belongs to the next tensor that is not constant and has its
/// shape.
fn gradient_places(file: &File, sample: &written::Sample, constants: &[&str]) -> Loaded<Vec<String>> {
    let mut inputs = vec![];
    collect("0", &sample.input, &mut inputs);
    sample.args.iter().enumerate().for_each(|(i, value)| collect(&(i + 1).to_string(), value, &mut inputs));
    sample.kwargs.iter().for_each(|(name, value)| collect(name, value, &mut inputs));
    inputs.retain(|(place, ..)| !constants.contains(&place.as_str()));
    let tensors = file.tensors()?;
    let mut inputs = inputs.into_iter();
    let mut places = vec![];
    for gradient in &sample.grads {
        let place = match gradient {
            written::Value::Tensor { tensor, dtype } => {
                let shape = tensors.tensor(tensor)?.shape().to_vec();
                inputs.find(|(_, name, of)| {
                    *of == dtype && tensors.tensor(name).is_ok_and(|x| x.shape() == shape)
                })
            }
            _ => inputs.find(|(_, _, dtype)| dtype.contains("float")),
        };
        places.push(place.ok_or("a gradient belongs to no input")?.0);
    }
    Ok(places)
}

/// The position, name and dtype of each tensor in an argument.
fn collect<'v>(place: &str, value: &'v written::Value, found: &mut Vec<(String, &'v str, &'v str)>) {
    match value {
        written::Value::Tensor { tensor, dtype } => found.push((place.to_string(), tensor, dtype)),
        written::Value::List(values) => {
            values.iter().enumerate().for_each(|(i, value)| collect(&format!("{place}.{i}"), value, found));
        }
        _ => {}
    }
}

struct Loader<'f> {
    tensors: SafeTensors<'f>,
    /// The positions of tensors that require a gradient.
    places: Vec<String>,
    tracked: Vec<Tensor>,
}

impl Loader<'_> {
    fn argument(&mut self, place: &str, value: &written::Value) -> Loaded<Argument> {
        Ok(match value {
            written::Value::None => Argument::None,
            written::Value::Bool(value) => Argument::Bool(*value),
            written::Value::Int(value) => Argument::Int(*value),
            written::Value::Float(value) => Argument::Float(*value),
            written::Value::Text(text) => Argument::Text(text.clone()),
            written::Value::Python { py } => Argument::Python(py.clone()),
            written::Value::List(values) => {
                let values = values.iter().enumerate();
                Argument::List(
                    values
                        .map(|(i, value)| self.argument(&format!("{place}.{i}"), value))
                        .collect::<Loaded<_>>()?,
                )
            }
            written::Value::Tensor { .. } => {
                let mut tensor = load(&self.tensors, value)?.tensor()?;
                if self.places.iter().any(|of| of == place) {
                    tensor = tensor.require_grad();
                    self.tracked.push(tensor.clone());
                }
                Argument::Tensor(tensor)
            }
        })
    }
}

fn load(tensors: &SafeTensors<'_>, value: &written::Value) -> Loaded<Values> {
    let written::Value::Tensor { tensor, .. } = value else { return Err("a tensor is wanted".into()) };
    Values::load(&tensors.tensor(tensor)?)
}
