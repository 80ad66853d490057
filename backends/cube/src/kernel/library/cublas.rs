//! Products through NVIDIA's cuBLASLt, on the memory of CubeCL's CUDA runtime.
//!
//! [`form`] says what the library is asked for. It decides which algorithm runs, so that results do not
//! change from run to run. CubeCL keeps its streams to itself. A product therefore runs in a stream of its
//! own, between two events of the whole context: after all work that was enqueued before it, and before all
//! that is enqueued later ([`handle`]).

mod form;
pub(crate) mod handle;

use super::matrices::Matrices;
use crate::failure::failed;
use crate::tensor::CubeTensor;
use cubecl::cuda::CudaRuntime;
use cubecl_runtime::runtime::Runtime;
use form::{Calls, Form};
use handle::Cublas;
use tensor_op_core::{Error, ErrorKind, Precision, Result};

/// Shorter products are done before the host has asked the library.
const LARGE: usize = 1 << 24;

/// Computes the product of lhs and rhs into out. Returns `false` if the library can't, or if the device is
/// not one of CUDA.
pub(super) fn multiply(matrices: &Matrices, tensors: [&CubeTensor; 3], precision: Precision) -> Result<bool> {
    let [lhs, _, out] = tensors;
    let Some(cublas) = &out.device.cublas else { return Ok(false) };
    let Some((form, calls)) = Form::of(matrices, lhs.dtype, out.dtype, precision) else {
        return Ok(false);
    };
    if form.multiplications().saturating_mul(calls.starts.len()) < LARGE {
        return Ok(false);
    }
    // An event of the context would end the recording of a graph.
    if out.device.client().is_capturing() {
        return Ok(false);
    }
    // The thread of the device knows the addresses. So it asks the library, and this thread waits for it
    // once.
    let client = out.device.client();
    client.exclusive(|| enqueue(cublas, form, &calls, tensors)).map_err(failed)?
}

/// Enqueues a product of the tensors lhs, rhs and out. Returns `false` if the library has none for it.
fn enqueue(cublas: &Cublas, form: Form, calls: &Calls, tensors: [&CubeTensor; 3]) -> Result<bool> {
    let resources = tensors.map(|tensor| {
        tensor.device.client().get_resource::<<CudaRuntime as Runtime>::Server>(tensor.handle.clone())
    });
    let [lhs, rhs, out] = resources;
    let resources = [lhs.map_err(failed)?, rhs.map_err(failed)?, out.map_err(failed)?];
    let starts = std::array::from_fn(|at| {
        let start = tensors[at].layout.offset * tensors[at].elem().size();
        resources[at].resource().ptr + start as u64
    });
    let Some(mut handle) = cublas.handle(starts[0]) else { return Ok(false) };
    // SAFETY: the axes of the product lie inside of the tensors, whose memory `resources` keeps in place
    // until the product is enqueued. Work that reuses this memory is enqueued later, so it waits.
    unsafe { handle.multiply(form, calls, starts) }.map_err(|error| {
        Error::new(ErrorKind::Backend, format!("cuBLASLt could not multiply two matrices: {error}"))
    })
}
