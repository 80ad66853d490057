//! Members that train one model: they take the steps of one that has the whole batch.

#[path = "../examples/digits/data.rs"]
mod data;
#[path = "../examples/distributed/training.rs"]
mod training;

use tensor_op::catalogue::nn::cross_entropy;
use tensor_op::distributed::{self, Member};
use tensor_op::optim::{AdamW, Optimizer};
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, Generator};
use training::Settings;

#[derive(Module)]
struct Network {
    first: Tensor,
    bias: Tensor,
    second: Tensor,
}

impl Network {
    /// Members start with different parameters, until they are distributed.
    fn new(seed: u64, device: &Device) -> Result<Network> {
        let random = Generator::new(seed);
        let normal = |shape: &[usize]| random.normal(shape, 0.0, 0.3, DType::F64, device);
        Ok(Network {
            first: normal(&[6, 8])?.require_grad(),
            bias: normal(&[8])?.require_grad(),
            second: normal(&[8, 3])?.require_grad(),
        })
    }

    fn loss(&self, x: &Tensor, label: &Tensor) -> Result<Tensor> {
        let hidden = (x.matmul(&self.first)? + &self.bias)?.relu()?;
        cross_entropy(hidden.matmul(&self.second)?, label)?.mean(..)
    }
}

/// Thirty steps; the losses of this member's rows, and the parameters at the end.
fn train(member: &Member) -> Result<(Vec<f64>, Vec<f64>)> {
    let device = member.device();
    let random = Generator::new(5);
    let mut network = Network::new(member.rank() as u64, &device)?;
    member.distribute(&mut network)?;
    let mut optimizer = Optimizer::new(AdamW { lr: 0.05, ..AdamW::default() });
    let mut losses = vec![];
    for _ in 0..30 {
        let x = random.normal([12, 6], 0.0, 1.0, DType::F64, &Device::default())?;
        let label = x.i((.., 0..3))?.argmax(1)?;
        let loss = network.loss(&member.shard(&x)?, &member.shard(&label)?)?;
        losses.push(member.all_reduce_mean(&loss)?.item::<f64>()?);
        optimizer.step(network.parameters_mut(), &loss.backward()?)?;
    }
    let ends = network.parameters().into_iter().map(|x| x.to_vec::<f64>()).collect::<Result<Vec<_>>>()?;
    Ok((losses, ends.concat()))
}

#[test]
fn several_members_train_as_one() -> Result<()> {
    let cpu = Device::default();
    let alone = distributed::run(&[cpu], train)?.remove(0);
    assert!(alone.0[29] < 0.5 * alone.0[0], "{:?}", alone.0);
    for members in [2, 3, 4] {
        let all = distributed::run(&vec![cpu; members], train)?;
        for (found, wanted) in all[0].0.iter().chain(&all[0].1).zip(alone.0.iter().chain(&alone.1)) {
            assert!((found - wanted).abs() <= 1e-9 * (1.0 + wanted.abs()), "{found} for {wanted}");
        }
        assert!(all.iter().all(|other| *other == all[0]), "members differ");
    }
    Ok(())
}

/// The example, on as many members as the cases say.
#[test]
fn the_digits_on_several_devices_have_the_losses_of_one()
-> std::result::Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { steps: 40, ..Settings::default() };
    let cpu = Device::default();
    let alone = training::train(&[cpu], settings, DType::F64, &|| ())?;
    for members in [2, 4] {
        let run = training::train(&vec![cpu; members], settings, DType::F64, &|| ())?;
        for (step, (loss, wanted)) in run.losses.iter().zip(&alone.losses).enumerate() {
            assert!((loss - wanted).abs() <= 1e-9 * wanted, "step {step}: {loss} for {wanted}");
        }
        assert_eq!(run.accuracy, alone.accuracy);
        assert!(run.rate > 0.0);
    }
    assert!(alone.losses[39] < 0.5 * alone.losses[0]);
    Ok(())
}

/// In bf16 alone 256 + 1 + 1 would be 256, and the mean 85.5.
#[test]
fn means_are_those_of_all_members() -> Result<()> {
    let cpu = Device::default();
    let means = distributed::run(&[cpu, cpu, cpu], |member| {
        let own = if member.rank() == 0 { [1.0f32, 256.0] } else { [2.5, 1.0] };
        member.all_reduce_mean(&Tensor::from(own).cast(DType::BF16)?)?.to_vec::<f32>()
    })?;
    assert_eq!(means, vec![vec![2.0, 86.0]; 3]);
    let ints = distributed::run(&[cpu, cpu], |member| member.all_reduce_mean(&Tensor::from([1, 2])));
    assert_eq!(ints.unwrap_err().kind(), ErrorKind::DType);
    Ok(())
}

/// A model that leaves the group has gradients of its own.
#[test]
fn a_model_can_be_trained_alone_afterwards() -> Result<()> {
    let cpu = Device::default();
    let models = distributed::run(&[cpu, cpu], |member| {
        let mut network = Network::new(3, &cpu)?;
        member.distribute(&mut network)?;
        Ok(network)
    })?;
    let (x, label) = (Tensor::ones([2, 6], DType::F64, &cpu)?, Tensor::from([0, 1]));
    let slopes = models[0].loss(&x, &label)?.backward()?;
    let alone = Network::new(3, &cpu)?;
    let wanted = alone.loss(&x, &label)?.backward()?;
    assert_eq!(slopes[&models[0].second].to_vec::<f64>()?, wanted[&alone.second].to_vec::<f64>()?);
    Ok(())
}

/// The members that wait for one which fails, ends or panics get an error, and none waits for ever.
#[test]
fn members_that_end_are_missed() {
    let cpu = Device::default();
    let reduce = |member: &Member| member.all_reduce_mean(&Tensor::from([1.0]));
    let fails = distributed::run(&[cpu, cpu, cpu], |member| {
        if member.rank() == 1 { Tensor::from([1.0]).reshape([2]) } else { reduce(member) }
    });
    assert_eq!(fails.unwrap_err().op(), Some("reshape"));
    let ends = distributed::run(&[cpu, cpu], |member| {
        if member.rank() == 1 { Ok(Tensor::from([1.0])) } else { reduce(member) }
    });
    let error = ends.unwrap_err().to_string();
    assert_eq!(error, "distributed: member 1 has ended, and member 0 waits for its `all_reduce_mean`");
    let differ = distributed::run(&[cpu, cpu], |member| {
        member.all_reduce_mean(&Tensor::zeros([1 + member.rank()], DType::F32, &cpu)?)
    });
    let error = differ.unwrap_err();
    assert!(error.to_string().contains("of shape [1] and f32, and member 1 brings"), "{error}");
    let panics = std::panic::catch_unwind(|| {
        distributed::run(&[Device::default(), Device::default()], |member| {
            assert!(member.rank() == 0, "no member");
            reduce(member)
        })
    });
    assert!(panics.is_err());
    assert_eq!(distributed::run(&[], |_| Ok(())).unwrap_err().kind(), ErrorKind::Length);
    let uneven = distributed::run(&[cpu, cpu], |member| member.shard(&Tensor::from([1.0, 2.0, 3.0])));
    assert!(uneven.unwrap_err().to_string().contains("2 equal parts"));
}
