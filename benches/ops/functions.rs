//! What each elementary function costs beside the exponential: `cargo bench --bench ops -- functions`.
//! Nanoseconds an element on one thread, of arguments that stay in the cache.

use std::hint::black_box;
use std::time::{Duration, Instant};
use tensor_op::cpu::set_threads;
use tensor_op::prelude::*;

/// Elements of an argument.
const ELEMENTS: usize = 1 << 16;
/// How long a cell of the table is measured.
const TIME: Duration = Duration::from_millis(200);

/// A function of each element.
type Function = fn(&Tensor) -> Result<Tensor>;

macro_rules! functions {
    ($($op:ident = $function:ident;)*) => {
        $(
            #[tensor_op(tests = false)]
            fn $op(x: Tensor![..]) -> Tensor![..] {
                $function(x)
            }
        )*
        /// Functions of one number from 0.1 to 0.9.
        const FUNCTIONS: &[(&str, Function)] = &[$((stringify!($function), |x| $op(x)),)*];
    };
}

functions! {
    of_abs = abs;
    of_exp = exp;
    of_exp2 = exp2;
    of_expm1 = expm1;
    of_ln = ln;
    of_log2 = log2;
    of_log1p = log1p;
    of_tanh = tanh;
    of_erf = erf;
    of_erfc = erfc;
    of_gelu = gelu;
    of_softplus = softplus;
    of_sin = sin;
    of_cos = cos;
    of_tan = tan;
    of_asin = asin;
    of_acos = acos;
    of_atan = atan;
    of_sinh = sinh;
    of_cosh = cosh;
    of_asinh = asinh;
    of_atanh = atanh;
    of_lgamma = lgamma;
    of_digamma = digamma;
}

#[tensor_op(tests = false)]
fn of_acosh(x: Tensor![..]) -> Tensor![..] {
    acosh(x + 1.0)
}

#[tensor_op(tests = false)]
fn of_pow(x: Tensor![..]) -> Tensor![..] {
    pow(x, x + 1.0)
}

#[tensor_op(tests = false)]
fn of_atan2(x: Tensor![..]) -> Tensor![..] {
    atan2(x, 1.0 - x)
}

#[tensor_op(tests = false)]
fn of_remainder(x: Tensor![..]) -> Tensor![..] {
    x % 0.3
}

/// Prints the table.
pub(crate) fn table() {
    set_threads(1).expect("a thread");
    let others: [(&str, Function); 4] = [
        ("acosh", |x| of_acosh(x)),
        ("pow", |x| of_pow(x)),
        ("atan2", |x| of_atan2(x)),
        ("%", |x| of_remainder(x)),
    ];
    let dtypes = [DType::F32, DType::BF16, DType::F64];
    println!("{:10} {:>16} {:>16} {:>16}", "ns (of exp)", "f32", "bf16", "f64");
    let mut exponential = [0.0; 3];
    for (name, function) in FUNCTIONS.iter().chain(&others) {
        let times = dtypes.map(|dtype| nanoseconds(*function, dtype));
        if *name == "exp" {
            exponential = times;
        }
        print!("{name:11}");
        for (time, exponential) in times.iter().zip(exponential) {
            print!(" {:>16}", format!("{time:.2} ({:.1})", time / exponential));
        }
        println!();
    }
}

/// Of an element, in the fastest of many calls.
fn nanoseconds(function: Function, dtype: DType) -> f64 {
    let numbers = (0..ELEMENTS).map(|i| 0.1 + 0.8 * ((i * 7919) % ELEMENTS) as f32 / ELEMENTS as f32);
    let x = Tensor::from_vec(numbers.collect::<Vec<f32>>(), [ELEMENTS], &Device::default());
    let x = x.and_then(|x| x.cast(dtype)).expect("numbers of any dtype");
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < TIME {
        let start = Instant::now();
        black_box(function(&x).expect("a function of each number"));
        least = least.min(start.elapsed());
    }
    least.as_secs_f64() * 1e9 / ELEMENTS as f64
}
