//! Groups of parameters by their names, and gradients that are clipped by value.

use tensor_op::optim::{Groups, Optimizer, Rule, Sgd, clip_grad_value};
use tensor_op::prelude::*;

#[derive(Module)]
struct Layer {
    weight: Tensor,
    norm: Tensor,
    bias: Tensor,
}

impl Layer {
    fn new() -> Layer {
        let one = || Tensor::from([1.0]).require_grad();
        Layer { weight: one(), norm: one(), bias: one() }
    }

    fn values(&self) -> Vec<f64> {
        self.parameters().iter().map(|tensor| tensor.item().expect("it has one element")).collect()
    }

    fn step(&mut self, groups: &mut Groups<Sgd>) -> Result<()> {
        let loss = ((&self.weight + &self.norm)? + &self.bias)?;
        let gradients = loss.backward()?;
        drop(loss);
        groups.step(self, &gradients)
    }
}

fn groups() -> Groups<Sgd> {
    let rule = |lr: f64| Sgd { lr, momentum: 0.5, ..Sgd::default() };
    Groups::new(rule(0.1)).with(|name| name == "norm", rule(0.2)).with(|name| name != "weight", rule(0.3))
}

#[test]
fn each_name_has_the_rule_of_its_group() -> Result<()> {
    let (mut layer, mut groups) = (Layer::new(), groups());
    layer.step(&mut groups)?;
    super::near(&layer.values(), &[0.9, 0.8, 0.7], 1e-15);
    groups.rules_mut().for_each(|rule| rule.lr *= 10.0);
    layer.step(&mut groups)?;
    // The momentum adds half of the first step.
    super::near(&layer.values(), &[0.9 - 1.5, 0.8 - 3.0, 0.7 - 4.5], 1e-12);
    Ok(())
}

#[test]
fn groups_go_on_from_their_state() -> Result<()> {
    let (mut layer, mut first) = (Layer::new(), groups());
    layer.step(&mut first)?;
    let state = first.state_dict()?;
    assert!(state.contains_key("0.0.0") && state.contains_key("2.steps"));
    let mut second = groups();
    second.load_state_dict(&state)?;
    layer.step(&mut second)?;
    super::near(&layer.values(), &[0.75, 0.5, 0.25], 1e-12);
    let error = Groups::new(Sgd::default()).load_state_dict(&state).unwrap_err();
    assert_eq!(error.to_string(), "load_state_dict: `1.0.0` belongs to none of the 1 groups");
    Ok(())
}

#[test]
fn rules_of_several_types_are_one() -> Result<()> {
    let rules: [Box<dyn Rule>; 2] =
        [Box::new(Sgd { lr: 0.5, ..Sgd::default() }), Box::new(tensor_op::optim::Adam::default())];
    for rule in rules {
        let mut p = Tensor::from([1.0]).require_grad();
        let gradients = p.sum(..)?.backward()?;
        let mut optimizer = Optimizer::new(rule);
        optimizer.step([&mut p], &gradients)?;
        assert!(p.item::<f64>()? < 1.0);
    }
    Ok(())
}

#[test]
fn gradients_are_clipped_by_value() -> Result<()> {
    let (x, y) = (Tensor::from([3.0, -4.0, f64::NAN]).require_grad(), Tensor::from([0.25f32]).require_grad());
    let mut gradients =
        x.square()?.sum(..)?.cast(DType::F32).add(y.square()).and_then(|x| x.sum(..))?.backward()?;
    clip_grad_value(&mut gradients, [&x, &y, &Tensor::from([1.0]).require_grad()], 1.0)?;
    let clipped = gradients[&x].to_vec::<f64>()?;
    assert_eq!(clipped[..2], [1.0, -1.0]);
    // PyTorch keeps NaN too.
    assert!(clipped[2].is_nan());
    assert_eq!(gradients[&y].to_vec::<f32>()?, [0.5]);
    for bound in [-1.0, f64::NAN] {
        assert!(clip_grad_value(&mut gradients, [&y], bound).is_err());
    }
    Ok(())
}
