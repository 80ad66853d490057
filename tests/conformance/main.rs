//! The conformance suite: correct backends pass all of it, and each faulty backend fails where its fault is.
//! Generated tests run on all registered backends, so no op is declared in this program, which registers
//! faulty ones.

#[path = "../backends/composed.rs"]
mod composed;
#[path = "../support/record.rs"]
mod record;
#[path = "../support/run.rs"]
mod run;

use composed::{Composed, Fault, Faulty};
use tensor_op::backend::{Backend, Prim};
use tensor_op::catalogue::{math, nn};
use tensor_op::testing::conformance::{Report, Standing, Subject};
use tensor_op::testing::{Layout, devices, run_backend_tests_with};
use tensor_op::{DType, Device, register_backend};

/// The report about the primitives and a few ops.
fn report<B: Backend>(name: &str) -> Report {
    register_backend::<B>(name).expect("a new name");
    let device = Device::new(name).expect("registered");
    run_backend_tests_with(&device, &[&nn::Softmax, &nn::LayerNorm, &nn::MatmulAddRelu, &nn::Embedding])
}

/// The generated tests of ops ask the same of the CPU, so that a part of them will do here.
#[test]
fn the_cpu_conforms() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/cpu.txt");
    let report = run_backend_tests_with(&Device::default(), &run::ops(12, file));
    assert!(run::is_of_new() || report.total > 4000, "{} cases", report.total);
    run::is_recorded(&report, (file, "cpu"), run::Wanted::Same, |_| None);
}

#[test]
fn a_backend_without_kernels_conforms() {
    let report = report::<Composed>("sound");
    assert_eq!(report.passed, report.total, "{report}");
}

/// The suite must find this fault in the function or op `what`. The text of a failure must contain the given
/// words.
macro_rules! finds {
    ($test:ident: $fault:ident in $what:literal, $reads:literal) => {
        #[test]
        fn $test() {
            #[derive(Clone, Debug)]
            struct Own;
            impl Fault for Own {
                const $fault: bool = true;
            }
            let report = report::<Faulty<Own>>(stringify!($test));
            assert!(report.score() < 1.0);
            let failure = report.failures.iter().find(|failure| failure.what.to_string() == $what);
            let failure = failure.unwrap_or_else(|| panic!("nothing of {}: {report}", $what));
            assert!(failure.to_string().contains($reads), "{failure}");
        }
    };
}

finds!(a_permutation_that_only_renames_axes: TRANSPOSES_IN_PLACE in "Backend::permute", "f64 [3, 1, 4] [2, 0, 1] Contiguous: element [0, 1, 0] is");
finds!(a_sum_that_skips_the_tail: SKIPS_THE_LAST in "Backend::reduce sum", "the bound is");
finds!(a_gather_that_clamps: CLAMPS_INDICES in "Backend::gather", "no error, where the reference has one");
finds!(a_panic_on_empty_tensors: PANICS_ON_EMPTY in "Backend::reduce sum", "panicked: attempt to divide by zero");
finds!(a_gather_of_one_int_dtype: TAKES_I64_INDICES_ONLY in "Backend::gather", "panicked: indices are i64");
finds!(a_move_that_loses_elements: LOSES_ELEMENTS_ON_THE_WAY in "Backend::to_device", "Contiguous: element [0, 0, 0] is");
finds!(a_mean_that_is_a_sum: DOUBLES_THE_MEAN in "Backend::all_reduce_mean", "element 0 is -39.5, not -19.75");
finds!(a_scatter_in_any_order: SUMS_AS_THREADS_COME in "Backend::scatter_add", "the same bits each time: sums differ from call to call");

/// Layouts that a backend can't have are not counted, and dtypes that it lacks are marked in every line.
#[test]
fn only_what_was_run_is_counted() {
    #[derive(Clone, Debug)]
    struct Own;
    impl Fault for Own {
        const LACKS_HALVES: bool = true;
    }
    let report = report::<Faulty<Own>>("without_halves");
    assert_eq!(report.passed, report.total, "{report}");
    let device =
        devices().into_iter().find(|device| device.backend() == "without_halves").expect("registered");
    assert!(!Layout::of(&device).contains(&Layout::Backwards));
    let matrix = report.matrix();
    let lines: Vec<&str> = matrix.lines().collect();
    let column = lines[0].find(" f16").expect("a column of f16") + " f16".len();
    let marks = lines[1..].iter().map(|line| line.get(column - 1..column));
    assert!(marks.into_iter().all(|mark| mark == Some("-")), "{matrix}");
}

/// What a backend refuses is no failure, and the report has what it says, also where only a gradient is
/// refused.
#[test]
fn what_is_refused_is_told() {
    #[derive(Clone, Debug)]
    struct Own;
    impl Fault for Own {
        const DIVIDES_NO_F64: bool = true;
    }
    register_backend::<Faulty<Own>>("without_division").expect("a new name");
    let device = Device::new("without_division").expect("registered");
    let report = run_backend_tests_with(&device, &[&math::Log, &nn::Embedding]);
    assert_eq!(report.passed, report.total, "{report}");
    let told = |what: Subject, dtype| {
        let mut support = report.support().filter(|cell| cell.what == what && cell.dtype == dtype);
        support.next().expect("it has cases").standing
    };
    let op = |name: &str| Subject::Op(name.to_string());
    let refused = |says: &str| Standing::Refused(says.to_string());
    assert_eq!(told(Subject::Apply(Prim::Div), DType::F64), refused("no division of f64"));
    assert_eq!(told(op("log"), DType::F64), refused("in the gradient, no division of f64"));
    assert_eq!(told(op("log"), DType::F32), Standing::Right);
    // Some of its cases have no valid index, and nothing to compare.
    assert_eq!(told(op("embedding"), DType::F64), Standing::Right);
}
