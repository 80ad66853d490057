//! Optimizers against those of PyTorch 2.15 in f64, three steps each. Lion and Muon, which PyTorch lacks or
//! runs in bf16, are against their papers' code in f64.

mod adaptive;
mod groups;
mod schedules;

use tensor_op::optim::{
    Adafactor, Adagrad, Adam, AdamW, Ema, Lion, Muon, Optimizer, RmsProp, Rule, Sgd, clip_grad_norm, schedule,
};
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, Gradients};

const START: [f64; 6] = [0.5, -1.0, 2.0, 0.25, 1.5, -0.75];

fn parameter(shape: &[usize]) -> Tensor {
    Tensor::from_vec(START.to_vec(), shape, &Device::default()).expect("sizes agree").require_grad()
}

/// The gradient of `sum of sin(p) * (1, .., 6) * step / 4`.
fn gradients(p: &Tensor, step: usize) -> Result<Gradients> {
    let weights: Vec<f64> = (1..7).map(|weight| (weight * step) as f64 / 4.0).collect();
    let weights = Tensor::from_vec(weights, p.shape(), &p.device())?;
    (p.sin()? * weights)?.sum(..)?.backward()
}

#[track_caller]
fn check(rule: impl Rule, shape: &[usize], wanted: [f64; 6]) {
    after(3, rule, shape, wanted);
}

/// Checks the parameter after so many steps.
#[track_caller]
fn after(steps: usize, rule: impl Rule, shape: &[usize], wanted: [f64; 6]) {
    let run = || {
        let mut p = parameter(shape);
        let mut optimizer = Optimizer::new(rule);
        for step in 1..=steps {
            let gradients = gradients(&p, step)?;
            optimizer.step([&mut p], &gradients)?;
        }
        p.to_vec::<f64>()
    };
    let found = run().expect("all steps");
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-10 * y.abs().max(1.0);
    assert!(found.iter().zip(&wanted).all(is_near), "{found:?} is not {wanted:?}");
}

#[test]
fn sgd() {
    let wanted =
        [0.364155765599, -1.1468560072, 2.20380469773, -0.344613917967, 1.42792201941, -1.27535185373];
    check(Sgd { lr: 0.1, weight_decay: 0.01, ..Sgd::default() }, &[2, 3], wanted);
}

#[test]
fn momentum() {
    let wanted =
        [0.315879086018, -1.20233165701, 2.26724275702, -0.552832924223, 1.40544760625, -1.50010878053];
    check(
        Sgd { lr: 0.1, momentum: 0.9, dampening: 0.2, weight_decay: 0.01, nesterov: false },
        &[2, 3],
        wanted,
    );
}

#[test]
fn nesterov() {
    let wanted =
        [0.16943613947, -1.33927522225, 2.55598595151, -1.15085033064, 1.31349816325, -1.76100979986];
    check(Sgd { lr: 0.1, momentum: 0.9, nesterov: true, ..Sgd::default() }, &[2, 3], wanted);
}

#[test]
fn adamw() {
    let wanted =
        [0.207726486666, -1.29356972577, 2.28090696138, -0.0423073127851, 1.22361136075, -1.04261594425];
    check(AdamW { lr: 0.1, ..AdamW::default() }, &[2, 3], wanted);
}

#[test]
fn adam() {
    let wanted =
        [0.206345641398, -1.29370815986, 2.27373353418, -0.0422338145295, 1.21417611035, -1.04468617121];
    check(Adam { lr: 0.1, weight_decay: 0.1, ..Adam::default() }, &[2, 3], wanted);
}

#[test]
fn rmsprop() {
    let wanted =
        [-1.43205114114, -1.7565984295, 4.66896030461, -1.48365722991, -1.31733880834, -1.97061410339];
    check(RmsProp { lr: 0.1, weight_decay: 0.1, ..RmsProp::default() }, &[2, 3], wanted);
}

#[test]
fn adagrad() {
    let wanted =
        [0.232442290786, -1.26493648925, 2.28713700397, -0.0197890375851, 1.2204211186, -1.01462621049];
    check(Adagrad { lr: 0.1, weight_decay: 0.1, ..Adagrad::default() }, &[2, 3], wanted);
}

#[test]
fn adafactor() {
    let wanted =
        [0.265721962744, -1.54057669445, 2.26630548222, -0.0631964055875, 1.23846772114, -1.01763857307];
    check(Adafactor { lr: 0.1, weight_decay: 0.1, ..Adafactor::default() }, &[2, 3], wanted);
}

#[test]
fn adafactor_of_a_vector() {
    let wanted =
        [0.132754922356, -1.30511617011, 2.29899636663, -0.107973555544, 1.08221996184, -1.06909768174];
    check(Adafactor { lr: 0.1, weight_decay: 0.1, ..Adafactor::default() }, &[6], wanted);
}

#[test]
fn adafactor_of_more_axes() {
    let wanted =
        [0.265721962744, -1.54057669445, 2.26630548222, -0.0631964055875, 1.23846772114, -1.01763857307];
    let rule = Adafactor { lr: 0.1, weight_decay: 0.1, ..Adafactor::default() };
    check(rule.clone(), &[1, 2, 3], wanted);
    let wanted =
        [0.132754922356, -1.30511617011, 2.29899636663, -0.107973555544, 1.08221996184, -1.06909768174];
    check(rule, &[3, 1, 2], wanted);
}

/// With gradients below `eps1`, which is that of the dtype.
#[test]
fn adafactor_takes_the_epsilon_of_the_dtype() -> Result<()> {
    let step = |dtype: DType, start: Tensor, seed: Tensor| -> Result<Vec<f64>> {
        let mut p = start.cast(dtype)?.require_grad();
        let found = (&p * seed.cast(dtype)?)?.sum(..)?.backward()?;
        Optimizer::new(Adafactor { lr: 0.1, ..Adafactor::default() }).step([&mut p], &found)?;
        p.to_vec()
    };
    let matrix = |dtype| {
        step(dtype, Tensor::from([[1.0, 2.0], [3.0, 4.0]]), Tensor::from([[1e-9, 2e-9], [1e-9, -4e-9]]))
    };
    let vector = |dtype| step(dtype, Tensor::from([1.0, 2.0]), Tensor::from([1e-9, -2e-8]));
    near(
        &matrix(DType::F32)?,
        &[0.9977026581764221, 1.9954053163528442, 2.9977025985717773, 4.009189128875732],
        3e-7,
    );
    near(
        &matrix(DType::F64)?,
        &[0.6277273089229628, 1.7645540771032642, 2.7981067867281877, 4.2553769592276245],
        1e-12,
    );
    near(&vector(DType::F32)?, &[0.9986736178398132, 2.026527166366577], 3e-7);
    near(&vector(DType::F64)?, &[0.841886116991581, 2.158113883008419], 1e-12);
    Ok(())
}

/// What a decay lacks to 1 has all its digits in f32.
#[test]
fn averages_keep_their_digits_in_f32() -> Result<()> {
    let remembered = |rule: &dyn Rule| -> Result<Vec<f64>> {
        let (p, gradient) = (Tensor::from([1f32]), Tensor::from([1e-3f32]));
        let zeros =
            rule.state(&p.shape()).into_iter().map(|shape| Tensor::zeros(shape, DType::F32, &p.device()));
        let (_, state) = rule.step(p.clone(), &gradient, zeros.collect::<Result<_>>()?, 1)?;
        state.iter().map(Tensor::item).collect()
    };
    let relative = |found: f64, wanted: f64| near(&[found / wanted], &[1.0], 2e-7);
    for rule in [&AdamW::default() as &dyn Rule, &Adam::default()] {
        relative(remembered(rule)?[0], 1e-4);
        relative(remembered(rule)?[1], 1e-9);
    }
    relative(remembered(&RmsProp { alpha: 0.9999, ..RmsProp::default() })?[0], 1e-10);
    relative(remembered(&Lion { betas: (0.9, 0.9999), ..Lion::default() })?[0], 1e-7);
    let mut ema = Ema::new(0.999999, [&Tensor::from([0f32])]);
    ema.update([&Tensor::from([1f32])])?;
    relative(ema.averages()[0].item()?, 1e-6);
    Ok(())
}

#[track_caller]
fn near(found: &[f64], wanted: &[f64], tolerance: f64) {
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= tolerance;
    assert!(
        found.len() == wanted.len() && found.iter().zip(wanted).all(is_near),
        "{found:?} is not {wanted:?}"
    );
}

#[test]
fn an_average_of_other_parameters_is_an_error() -> Result<()> {
    let (x, y) = (Tensor::from([1.0]), Tensor::from([[2.0, 3.0]]));
    let mut ema = Ema::new(0.5, [&x, &y]);
    let (moved, narrow) = (Tensor::from([5.0]), y.cast(DType::F32)?);
    let mut message = |parameters: &[&Tensor]| {
        let message = ema.update(parameters.iter().copied()).unwrap_err().to_string();
        assert_eq!(ema.averages()[0].item::<f64>().ok(), Some(1.0), "nothing has moved");
        message
    };
    assert_eq!(message(&[&moved]), "update: 1 parameters for 2 averages: pass all of them each time");
    assert!(message(&[&moved, &y, &y]).contains("3 parameters"));
    assert!(message(&[&moved, &x]).contains("parameter 1 is f64 [1]"));
    assert!(message(&[&moved, &narrow]).contains("parameter 1 is f32 [1, 2]"));
    Ok(())
}

#[test]
fn lion() {
    let wanted = [0.1881395, -1.267309, 2.237608, -0.05443525, 1.1584385, -1.02473425];
    check(Lion { lr: 0.1, weight_decay: 0.1, ..Lion::default() }, &[2, 3], wanted);
}

#[test]
fn muon_of_a_wide_matrix() {
    let wanted =
        [0.297110317736, -1.14988905875, 2.14251300413, 0.082769568741, 1.43024065969, -0.882530357715];
    check(Muon { lr: 0.1, ..Muon::default() }, &[2, 3], wanted);
}

#[test]
fn muon_of_a_tall_matrix() {
    let wanted =
        [0.306929676724, -1.02849236498, 2.1588350783, 0.0701245658435, 1.3105896863, -0.929309324313];
    check(Muon { lr: 0.1, ..Muon::default() }, &[3, 2], wanted);
}

#[test]
fn muon_of_a_vector() {
    let wanted =
        [0.207726486666, -1.29356972577, 2.28090696138, -0.0423073127851, 1.22361136075, -1.04261594425];
    check(Muon { others: AdamW { lr: 0.1, ..AdamW::default() }, ..Muon::default() }, &[6], wanted);
}

#[test]
fn rates_end_at_their_floor() {
    for rate in [schedule::warmup_cosine, schedule::warmup_linear] {
        // Also where the warm-up is as long as the training, or longer.
        for (step, warmup, total) in [(10, 10, 10), (9, 10, 5), (100, 10, 100), (0, 0, 0)] {
            assert_eq!(rate(step, warmup, total, 0.3, 0.1), 0.1, "step {step} of {total}");
        }
        assert_eq!(rate(9, 10, 100, 0.3, 0.1), 0.3);
    }
}

#[test]
fn gradients_are_clipped_to_a_norm() -> Result<()> {
    let (x, y) = (Tensor::from([3.0]).require_grad(), Tensor::from([[2.0, 0.0]]).require_grad());
    let mut gradients = (x.square()?.sum(..)? + y.square()?.sum(..)?)?.backward()?;
    let norm = clip_grad_norm(&mut gradients, [&x, &y], 1.0)?.item::<f64>()?;
    let total = 52.0_f64.sqrt();
    assert!((norm - total).abs() < 1e-12);
    // PyTorch divides by the norm and 1e-6.
    let scale = 1.0 / (total + 1e-6);
    assert!((gradients[&x].item::<f64>()? - 6.0 * scale).abs() < 1e-12);
    assert!((gradients[&y].to_vec::<f64>()?[0] - 4.0 * scale).abs() < 1e-12);
    // A small norm stays, and a gradient that was not found is no mistake.
    let before = gradients[&x].item::<f64>()?;
    clip_grad_norm(&mut gradients, [&x, &y, &Tensor::from([1.0]).require_grad()], 2.0)?;
    assert_eq!(gradients[&x].item::<f64>()?, before);
    Ok(())
}

#[test]
fn an_optimizer_goes_on_to_the_bit() -> Result<()> {
    let rule = || AdamW { lr: 0.1, ..AdamW::default() };
    let (mut p, mut optimizer) = (parameter(&[6]), Optimizer::new(rule()));
    let found = gradients(&p, 1)?;
    optimizer.step([&mut p], &found)?;
    let (mut q, mut resumed) = (p.clone(), Optimizer::new(rule()));
    resumed.load_state_dict(&optimizer.state_dict()?)?;
    let found = gradients(&p, 2)?;
    optimizer.step([&mut p], &found)?;
    let found = gradients(&q, 2)?;
    resumed.step([&mut q], &found)?;
    assert_eq!(p.to_vec::<f64>()?, q.to_vec::<f64>()?);
    assert_eq!(resumed.steps(), [2]);
    assert!(p.is_tracked());
    Ok(())
}

/// Both remember two tensors of these shapes.
#[test]
fn a_state_of_another_rule_is_an_error() -> Result<()> {
    let (mut p, mut adam) = (parameter(&[6]), Optimizer::new(Adam::default()));
    let found = gradients(&p, 1)?;
    adam.step([&mut p], &found)?;
    let state = adam.state_dict()?;
    let mut adamw = Optimizer::new(AdamW::default());
    assert_eq!(
        adamw.load_state_dict(&state).unwrap_err().to_string(),
        "load_state_dict: these tensors are of `Adam`, and the rule of this optimizer is `AdamW`"
    );
    assert!(adamw.steps().is_empty() && adamw.state_dict()?.len() == 2, "nothing has changed");
    let mut sgd = Optimizer::new(Sgd { momentum: 0.9, ..Sgd::default() });
    let message = sgd.load_state_dict(&state).unwrap_err().to_string();
    assert!(message.contains("`Adam`") && message.contains("`Sgd with momentum`"), "{message}");
    let without = Optimizer::new(Sgd { momentum: 0.0, ..Sgd::default() }).state_dict()?;
    assert!(sgd.load_state_dict(&without).is_err(), "a momentum would be missing");
    Ok(())
}

#[test]
fn other_parameters_than_before_are_an_error_and_stay() -> Result<()> {
    let (mut p, mut optimizer) = (parameter(&[6]), Optimizer::new(Lion::default()));
    let found = gradients(&p, 1)?;
    optimizer.step([&mut p], &found)?;
    let mut other = parameter(&[2, 3]);
    let found = gradients(&other, 1)?;
    let error = optimizer.step([&mut other], &found).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert!(error.to_string().contains("parameter 0"), "{error}");
    assert_eq!(other.to_vec::<f64>()?, START);
    // A parameter without a gradient stays too.
    optimizer.step([&mut p], &found)?;
    assert_eq!(optimizer.steps(), [1]);
    Ok(())
}

/// The first step with momentum takes the whole gradient, also after steps without: as in PyTorch.
#[test]
fn momentum_may_begin_and_end() -> Result<()> {
    let (mut p, mut optimizer) =
        (parameter(&[6]), Optimizer::new(Sgd { lr: 0.1, dampening: 0.5, ..Sgd::default() }));
    for (momentum, moved) in [(0.0, 0.1), (0.9, 0.1), (0.9, 0.14), (0.0, 0.1), (0.9, 0.1)] {
        optimizer.rule.momentum = momentum;
        let before = p.detach();
        let found = p.sum(..)?.backward()?;
        optimizer.step([&mut p], &found)?;
        near(&(before - &p.detach())?.to_vec::<f64>()?, &[moved; 6], 1e-12);
    }
    Ok(())
}

/// PyTorch gives these numbers. A half can't hold the norm.
#[test]
fn gradients_of_several_dtypes_are_clipped() -> Result<()> {
    let (x, y) = (Tensor::from([3f32]).require_grad(), Tensor::from([2.0]).require_grad());
    let mut gradients = x.square()?.cast(DType::F64).add(y.square()).and_then(|x| x.sum(..))?.backward()?;
    let norm = clip_grad_norm(&mut gradients, [&x, &y], 1.0)?;
    assert_eq!(norm.dtype(), DType::F64);
    near(&[norm.item()?], &[7.211102550927978], 1e-12);
    assert_eq!(gradients[&x].dtype(), DType::F32);
    near(&[gradients[&x].item()?, gradients[&y].item()?], &[0.832050179, 0.554700119], 1e-7);

    let wide = Tensor::from([[half::f16::MAX; 4]]).require_grad();
    let mut gradients =
        wide.square()?.sum(..)?.backward_with(Tensor::from([half::f16::from_f64(0.5)]).sum(..))?;
    let norm = clip_grad_norm(&mut gradients, [&wide], 1.0)?;
    assert_eq!((norm.dtype(), norm.item::<f64>()?), (DType::F32, 131008.0));
    assert_eq!(gradients[&wide].to_vec::<f64>()?, [0.5; 4]);

    let mut none = y.square()?.sum(..)?.backward()?;
    let norm = clip_grad_norm(&mut none, [&x], 1.0)?;
    assert_eq!((norm.dtype(), norm.item::<f64>()?), (DType::F32, 0.0));
    Ok(())
}

#[test]
fn parameters_move_in_place() -> Result<()> {
    let array = ndarray::arr1(&START);
    let address = array.as_ptr();
    let mut p = Tensor::try_from(array)?.require_grad();
    let found = gradients(&p, 1)?;
    Optimizer::new(AdamW::default()).step([&mut p], &found)?;
    assert_eq!(p.into_array::<f64>()?.as_ptr(), address);
    Ok(())
}
