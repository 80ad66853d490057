//! A backend that blocks, on a device with a time limit: the call is an `Err` that names the function, later
//! calls fail at once, and tensors elsewhere stay usable.

use super::hooked::{Hook, Hooked, Way, use_of};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use tensor_op::prelude::{Device, Tensor};
use tensor_op::{DType, Result, TensorData, capture};

/// Longer than any test takes, on a machine that does much else.
const LONG: Duration = Duration::from_secs(120);

/// The limits that are tried: on a busy machine a call that works may be late as well.
const LIMITS: [Duration; 3] = [Duration::from_millis(100), Duration::from_secs(1), Duration::from_secs(10)];

/// Runs a test that would not end if something blocks.
fn ends(test: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let (tell, told) = channel();
    thread::spawn(move || drop(tell.send(test())));
    told.recv_timeout(LONG).expect("it blocks, or panics")
}

/// Lets the backend block in `hook`, which a call knows as `function`.
fn blocks<const N: usize>(hook: Hook, function: &'static str) -> Result<()> {
    ends(move || {
        let [device, other] = Hooked::<N>::devices();
        let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).to(&device)?;
        let beside = x.to(&other)?;
        use_of(hook, &x, &other)?;
        let limit = lose::<N>(&device, &other, hook, function, &x)?;
        later::<N>(&x, &device, &format!("`{function}` has not returned within {limit:?}"))?;

        Hooked::<N>::mend();
        assert_eq!(beside.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(beside.exp()?.shape(), [2, 2]);
        assert_eq!(Tensor::from([3.0]).square()?.to_vec::<f64>()?, [9.0]);

        let kept = x.clone();
        drop(x);
        Hooked::<N>::break_in(None);
        device.set_time_limit(Some(LONG))?;
        use_of(hook, &kept, &other)?;
        assert_eq!(kept.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
        Ok(())
    })
}

/// Clones and arguments of a lost device are not leaked as long as something else owns the tensor.
#[test]
fn what_is_still_owned_is_freed_later() -> Result<()> {
    ends(|| {
        let [device, other] = Hooked::<19>::devices();
        let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).to(&device)?;
        let before = Hooked::<19>::tensors();
        lose::<19>(&device, &other, Hook::Sync, "sync", &x)?;
        drop(x.clone());
        x.exp().expect_err("it is lost");
        Tensor::to_data_all(&[&Tensor::from([1.0]), &x]).expect_err("it is lost");
        Tensor::cat(&[&x, &x], 0).expect_err("it is lost");
        Hooked::<19>::break_in(None);
        device.set_time_limit(None)?;
        assert_eq!(Hooked::<19>::tensors(), before);
        drop(x);
        assert_eq!(Hooked::<19>::tensors(), before - 1);
        Ok(())
    })
}

/// The number of threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The same limit keeps its workers, and another one replaces them. Other tests start threads meanwhile.
#[test]
#[cfg(target_os = "linux")]
fn limits_that_are_replaced_leave_no_threads() -> Result<()> {
    ends(|| {
        let [device, _] = Hooked::<16>::devices();
        let before = threads();
        for toggle in 0..300 {
            device.set_time_limit(Some(LONG + Duration::from_secs(toggle % 3)))?;
            device.sync()?;
        }
        device.set_time_limit(None)?;
        let started = threads().saturating_sub(before);
        assert!(started < 100, "{started} threads");
        Ok(())
    })
}

/// All threads of rayon's pool wait for calls of `cpu`, which uses rayon itself.
#[test]
fn the_cpu_has_threads_of_its_own_within_a_limit() -> Result<()> {
    ends(|| {
        let device = Device::default();
        device.set_time_limit(Some(LONG / 4))?;
        let x = Tensor::uniform([1 << 18], 0.0, 1.0, DType::F32, &device)?;
        let expected = x.exp()?.sum(..)?.item::<f32>()?;
        let sums: Vec<f32> =
            (0..32).into_par_iter().map(|_| x.exp()?.sum(..)?.item::<f32>()).collect::<Result<_>>()?;
        device.set_time_limit(None)?;
        assert_eq!(sums, [expected; 32]);
        Ok(())
    })
}

/// The limit within which the function has not returned.
fn lose<const N: usize>(
    device: &Device,
    other: &Device,
    hook: Hook,
    function: &str,
    x: &Tensor,
) -> Result<Duration> {
    for limit in LIMITS {
        Hooked::<N>::break_in(Some((hook, Way::Blocks)));
        device.set_time_limit(Some(limit))?;
        let error = use_of(hook, x, other).expect_err("it blocks").to_string();
        let lost = format!("the backend `hooked-{N}`: the device `hooked-{N}` is lost: ");
        assert!(error.contains(&lost), "{error}");
        if error.contains(&format!("`{function}` has not returned within {limit:?}")) {
            return Ok(limit);
        }
    }
    panic!("no limit is long enough for what does not block")
}

/// Calls on the lost device. Together they take less than one limit each.
fn later<const N: usize>(x: &Tensor, device: &Device, words: &str) -> Result<()> {
    let started = Instant::now();
    for _ in 0..20 {
        let twice = Tensor::from([1.0]);
        let errors = [
            x.exp().map(drop),
            x.to_data().map(drop),
            twice.to(device).map(drop),
            x.to(&Device::default()).map(drop),
            x.reshape([4]).map(drop),
            Device::new(&device.name()).map(drop),
            device.sync(),
            Tensor::zeros([2], DType::F32, device).map(drop),
            Tensor::uniform([2], 0.0, 1.0, DType::F16, device).map(drop),
            Tensor::arange(0_i64, 3, 1, device).map(drop),
        ];
        for error in errors.map(|result| result.expect_err("it is lost")) {
            assert_eq!(error.backend(), Some(device.backend()), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!((x.shape(), x.device()), ([2, 2].into(), *device));
    Ok(())
}

macro_rules! blocks {
    ($($test:ident: $number:literal $hook:ident $function:literal;)*) => {
        $(
            #[test]
            fn $test() -> Result<()> {
                blocks::<$number>(Hook::$hook, $function)
            }
        )*
    };
}

blocks! {
    a_move_to_the_device: 2 FromData "from_data";
    a_read: 3 IntoData "into_data";
    a_read_without_blocking: 4 IntoDataAsync "into_data_async";
    a_read_of_several: 5 IntoDataAll "into_data_all";
    an_op: 6 Run "run";
    a_kernel_by_hand: 7 KernelByHand "run";
    a_primitive: 8 Reshape "reshape";
    waiting: 9 Sync "sync";
    opening: 10 NthDevice "nth_device";
    cleaning: 11 MemoryCleanup "memory_cleanup";
    long_lived_memory: 12 Persistent "persistent";
    recording: 13 Record "record";
    replaying: 14 Replay "replay";
}

/// The other functions, one after the other: a device gets another chance each time.
#[test]
fn whatever_else_blocks() -> Result<()> {
    for (hook, function) in [
        (Hook::State, "state"),
        (Hook::IntoDataAllAsync, "into_data_all_async"),
        (Hook::Permute, "permute"),
        (Hook::Expand, "expand"),
        (Hook::Slice, "slice"),
        (Hook::SliceAssign, "slice_assign"),
        (Hook::Cat, "cat"),
        (Hook::Cast, "cast"),
        (Hook::Full, "full"),
        (Hook::Random, "random"),
    ] {
        blocks::<15>(hook, function)?;
    }
    Ok(())
}

/// A recording is of the limit that the device had when the step was recorded.
#[test]
fn a_recording_is_made_again_for_another_limit() -> Result<()> {
    ends(|| {
        let [device, _] = Hooked::<1>::devices();
        let x = [Tensor::from([[1.0, 2.0]]).to(&device)?];
        let turned = |state: &[Tensor], inputs: &[Tensor]| Ok((inputs.to_vec(), state.to_vec()));
        let mut before = capture(&x, &x, turned)?;
        assert_eq!(before.replay(&x)?.len(), 1);
        device.set_time_limit(Some(LONG))?;
        for error in [before.replay(&x).map(drop), before.state().map(drop)] {
            let words = "the time limit of hooked-1 has changed; record the step again";
            assert!(error.expect_err("it has no limit").to_string().ends_with(words));
        }
        let mut now = capture(&x, &x, turned)?;
        assert_eq!((now.replay(&x)?.len(), now.state()?.len()), (1, 1));
        device.set_time_limit(None)?;
        now.replay(&x).expect_err("it has a limit");
        assert_eq!(before.replay(&x)?.len(), 1);
        Ok(())
    })
}

/// A backend that calls the program back from a thread of its own: the worker goes on, and the task runs.
#[test]
fn a_task_on_another_thread_does_not_block() -> Result<()> {
    ends(|| {
        let [device, _] = Hooked::<20>::devices();
        Hooked::<20>::break_in(Some((Hook::Persistent, Way::RunsElsewhere)));
        for limit in [None, Some(LONG)] {
            device.set_time_limit(limit)?;
            let x = device.persistent(|| Tensor::ones([2], DType::F64, &device))?;
            assert_eq!(x.exp()?.shape(), [2]);
        }
        Ok(())
    })
}

/// A panic of a task goes on, and the device works afterwards.
#[test]
fn a_panic_of_a_task_goes_on() -> Result<()> {
    ends(|| {
        let [device, _] = Hooked::<21>::devices();
        for limit in [None, Some(LONG)] {
            device.set_time_limit(limit)?;
            let task = AssertUnwindSafe(|| device.persistent(|| -> usize { panic!("a bug") }));
            assert!(catch_unwind(task).is_err());
            assert_eq!(device.persistent(|| 7), 7);
        }
        Ok(())
    })
}

/// With a limit that nothing reaches, all goes as without it.
#[test]
fn a_limit_changes_nothing_else() -> Result<()> {
    ends(|| {
        let [device, other] = Hooked::<22>::devices();
        device.set_time_limit(Some(LONG))?;
        let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).to(&device)?.require_grad();
        let loss = x.matmul(x.exp()?)?.sum(..)?;
        let gradient = loss.backward()?[&x].to_vec::<f64>()?;
        let cpu = Tensor::from([[1.0, 2.0], [3.0, 4.0]]).require_grad();
        let expected = cpu.matmul(cpu.exp()?)?.sum(..)?.backward()?[&cpu].to_vec::<f64>()?;
        assert!(gradient.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-9), "{gradient:?}");

        let x = x.detach();
        let inputs = [x.clone()];
        let mut step = capture(&[x.zeros_like()?], &inputs, |state: &[Tensor], inputs: &[Tensor]| {
            Ok((vec![(&state[0] + &inputs[0])?], vec![state[0].exp()?]))
        })?;
        assert!(step.is_recorded());
        assert_eq!(step.replay(&inputs)?[0].to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(step.state()?[0].to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
        use_of(Hook::AllReduceMean, &x, &other)?;
        let mut data = [TensorData::new(vec![1.0, 2.0], [2])?, TensorData::new(vec![3_i64], [1])?];
        let before = data.clone();
        device.stage(&mut data);
        assert_eq!(data, before);
        let error = x.matmul(Tensor::from([[1.0]]).to(&device)?).expect_err("sizes differ");
        assert!(error.backend().is_none(), "{error}");
        Ok(())
    })
}
