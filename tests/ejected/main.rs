//! Kernels of the CPU that were ejected and go back in by `#[kernel(..)]`. They are the files in `kernels/`,
//! and give the same bits as those that the macro generates. `backends/cube/tests/it/ejected` does this on
//! GPUs. A new case is one declaration in `ops.rs`; `UPDATE=1` writes its files, which need a line in
//! `kernels/mod.rs`.

mod edited;
mod kernels;
mod ops;
mod same;

use same::{Case, same_bits};
use tensor_op::backend::by_hand;
use tensor_op::testing::{ejected, ejected_gpu};
use tensor_op::{DType, NdArray, Op};

/// Declares an op twice: with generated kernels and with those of its file.
macro_rules! twice {
    ($name:ident { $cpu:ident, $cpu_backward:ident, $cube:ident, $cube_backward:ident } $($item:tt)*) => {
        #[allow(dead_code, reason = "ops run by their types")]
        mod $name {
            pub(super) mod generated {
                use tensor_op::prelude::*;
                #[tensor_op]
                $($item)*
            }
            pub(super) mod by_hand {
                use super::super::kernels::$name::*;
                use tensor_op::prelude::*;
                #[tensor_op]
                #[kernel(cpu = $cpu, cpu_backward = $cpu_backward, saves)]
                $($item)*
            }
        }
    };
}

ops::ops!(twice);

#[test]
fn files_are_what_is_ejected() {
    for (name, generated, _) in CASES {
        same_file("tests/ejected/kernels", name, &ejected(generated));
        same_file("backends/cube/tests/it/ejected/kernels", name, &ejected_gpu(generated));
    }
}

/// A file of the folder is this text; with `UPDATE=1` it is written.
fn same_file(folder: &str, name: &str, text: &str) {
    let path = format!("{}/{folder}/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("the folder is writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, text, "{path} is not what is ejected: run this test with UPDATE=1");
}

#[test]
fn ejected_kernels_give_the_same_bits() {
    for (name, generated, by_hand) in CASES {
        assert!(has_kernel(by_hand) && has_kernel(&*by_hand.backward().expect("it has one")), "{name}");
        assert!(!has_kernel(generated), "{name}");
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            for size in [1, 3, 19] {
                same_bits::<NdArray>([generated, by_hand], dtype, size)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }
}

fn has_kernel(op: &dyn Op) -> bool {
    by_hand::kernel::<NdArray>(op).is_some()
}
