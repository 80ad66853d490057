//! Functions by name: what can be called, the errors, gradients, threads.

use tensor_op::catalogue::reduce::{SumFloat, SumInt};
use tensor_op::prelude::*;
use tensor_op::{Argument, Axes, ErrorKind, catalogue};
use tensor_op::{call, function, grad, register_function, register_op, registered_functions};

fn x() -> Tensor {
    Tensor::from([[1.0, 2.0], [3.0, 4.0]])
}

fn values(name: &str, args: &[Argument]) -> Vec<f64> {
    let results = call(name, args).unwrap();
    results[0].cast(DType::F64).unwrap().to_vec().unwrap()
}

#[test]
fn ops_of_the_catalogue_take_every_type_of_argument() {
    let x = x();
    assert_eq!(values("sum", &[(&x).into()]), [10.0]);
    assert_eq!(values("sum", &[(&x).into(), Axes::of(&[0]).into()]), [4.0, 6.0]);
    assert_eq!(values("sum", &[(&x).into(), (-1).into()]), [3.0, 7.0]);
    assert_eq!(values("cumsum", &[(&x).into(), 0.into()]), [1.0, 2.0, 4.0, 6.0]);
    assert_eq!(values("add_scalar", &[(&x).into(), 0.5.into()]), [1.5, 2.5, 3.5, 4.5]);
    assert_eq!(values("sum", &[(&Tensor::from([1, 2])).into()]), [3.0]);
    let args = [(&Tensor::from([2.0])).into(), Argument::Default, 1.into()];
    assert_eq!(values("diag_embed_at", &args), [0.0, 2.0, 0.0, 0.0]);
    assert_eq!(values("where", &[(&Tensor::from([true])).into(), (&x).into(), (&x).into()]).len(), 4);
    assert_eq!(call("aminmax", &[(&x).into()]).unwrap().len(), 2);
}

#[tensor_op(tests = false)]
fn window_sums(
    k @ [kh, kw]: [usize; 2],
    x: NumTensor![h, w],
    #[default(k)] step @ [sh, sw]: [usize; 2],
) -> NumTensor![oh = (h - kh) / sh + 1, ow = (w - kw) / sw + 1] {
    sum(at(x, h = oh * sh + iota(kh), w = ow * sw + iota(kw)), (kh, kw))
}

#[test]
fn lists_are_taken_apart() {
    register_op("window sums", &[&WindowSumsFloat, &WindowSumsInt]).unwrap();
    let x: Argument = Tensor::from([[1, 2, 3, 4], [5, 6, 7, 8]]).into();
    let sums = |args: &[Argument]| call("window sums", args).map(|found| found[0].to_vec::<i32>().unwrap());
    assert_eq!(sums(&[2.into(), x.clone()]).unwrap(), [14, 22]);
    assert_eq!(sums(&[[2_usize, 1][..].into(), x.clone(), 1.into()]).unwrap(), [6, 8, 10, 12]);
    assert_eq!(sums(&[[1_usize, 4][..].into(), x.clone(), Argument::Default]).unwrap(), [10, 26]);
    let error = sums(&[[1_usize, 2, 3][..].into(), x.clone()]).unwrap_err();
    assert_eq!(error.to_string(), "window sums: `k`: is a list of 2, and here are 3");
    let error = sums(&[x.clone(), x]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "window sums: `k`: is a tensor of i32, and the function takes a whole number from 0 on"
    );
}

#[test]
fn a_seed_that_is_left_out_is_drawn() {
    let x = Tensor::ones([64], DType::F32, &Device::default()).unwrap();
    let seeded = |seed: i64| values("dropout", &[(&x).into(), 0.5.into(), seed.into()]);
    assert_eq!(seeded(1), seeded(1));
    let drawn = || values("dropout", &[(&x).into(), 0.5.into()]);
    assert_ne!(drawn(), drawn());
}

#[test]
fn wrong_arguments_are_errors_that_name_the_function_and_the_argument() {
    let (x, bools) = (x(), Tensor::from([true]));
    register_function("wrong_arguments", |[x]| Ok(x.clone())).unwrap();
    // The function, the arguments, and the error.
    let cases: Vec<(&str, Vec<Argument>, &str)> = vec![
        ("sum", vec![], "sum: `input`: is missing, and has no default: pass a tensor"),
        ("sum", vec![2.into()], "sum: `input`: is the number 2, and the function takes a tensor"),
        (
            "sum",
            vec![(&bools).into()],
            "sum: `input`: is a tensor of bool, and the function takes float or int",
        ),
        ("sum", vec![(&x).into(), 0.5.into()], "sum: `dim`: is the number 0.5, and the function takes axes"),
        ("sum", vec![(&x).into(), 0.into(), 0.into()], "sum: takes input, dim: 3 arguments are too many"),
        (
            "diag_embed_at",
            vec![(&x).into(), (-1).into()],
            "diag_embed_at: `row`: is the number -1, and the function takes a whole number from 0 on",
        ),
        (
            "cumsum",
            vec![(&x).into(), true.into()],
            "cumsum: `dim`: is the bool true, and the function takes an axis",
        ),
        ("wrong_arguments", vec![], "wrong_arguments: takes 1 tensors, and 0 were given"),
        (
            "wrong_arguments",
            vec![1.into()],
            "wrong_arguments: argument 0 is the number 1, and the function takes a tensor",
        ),
    ];
    for (name, args, message) in cases {
        assert_eq!(call(name, &args).unwrap_err().to_string(), message);
    }
    let error = function("aminmax").unwrap()(&[x]).unwrap_err();
    assert_eq!(error.to_string(), "aminmax: there are 2 results; `call` returns all of them");
    let error = function("wrong_arguments").unwrap()(&[]).unwrap_err();
    assert_eq!(error.to_string(), "wrong_arguments: takes 1 tensors, and 0 were given");
}

#[test]
fn an_unknown_name_is_an_error_that_lists_near_ones() {
    let error = call("reluu", &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Name);
    assert!(error.to_string().starts_with("call: there is no function `reluu`; there is `relu`"), "{error}");
    let error = function("nothing is like this").err().unwrap();
    let message =
        "function: there is no function `nothing is like this`; `registered_functions` lists the names";
    assert_eq!(error.to_string(), message);
    assert!(call("", &[]).is_err());
}

#[test]
fn no_name_is_given_twice() {
    register_op("my sum", &[&SumFloat, &SumInt]).unwrap();
    let error = register_op("my sum", &[&SumFloat]).unwrap_err();
    let message = "register_op: there is a function `my sum` already; choose another name";
    assert_eq!(error.to_string(), message);
    let again = register_function("my sum", |[x]| Ok(x.clone()));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Name);
    assert!(register_function("softmax", |[x]| Ok(x.clone())).is_err());
    assert!(register_function("", |[x]| Ok(x.clone())).is_err());
    assert!(register_op("no formula", &[]).is_err());
    assert_eq!(values("my sum", &[(&Tensor::from([1, 2])).into()]), [3.0]);
    assert!(registered_functions().contains(&"my sum".to_string()));
}

#[test]
fn every_op_of_the_catalogue_has_a_name() {
    let names = registered_functions();
    for op in catalogue::ops() {
        let name = op.spec().name();
        let is_named = names.iter().any(|known| {
            let with_kind = |kind| name.split('_').filter(|word| *word != kind).collect::<Vec<_>>().join("_");
            known == name || ["float", "int", "bool"].into_iter().any(|kind| *known == with_kind(kind))
        });
        assert!(is_named, "{name}");
    }
}

#[test]
fn gradients_flow_through_names() {
    register_function("square of a sum", |[x, y]| {
        let sum = call("add", &[x.into(), y.into()])?;
        Ok(call("square", &[(&sum[0]).into()])?.remove(0))
    })
    .unwrap();
    let inputs = [Tensor::from([1.0]), Tensor::from([2.0])];
    let slopes = grad(function("square of a sum").unwrap())(&inputs).unwrap();
    assert_eq!(slopes[1].to_vec::<f64>().unwrap(), [6.0]);
    let slope = |x: &[Tensor]| Ok(grad(function("square of a sum")?)(x)?.remove(0));
    assert_eq!(grad(slope)(&inputs).unwrap()[0].to_vec::<f64>().unwrap(), [2.0]);
}

#[test]
fn threads_register_and_call_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let name = format!("thread {thread}");
                register_function(&name, move |[x]| x * f64::from(thread)).unwrap();
                let x = Tensor::from([1.0]);
                assert_eq!(values(&name, &[(&x).into()]), [f64::from(thread)]);
            });
        }
    });
}
