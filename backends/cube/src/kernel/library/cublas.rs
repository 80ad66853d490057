//! Products through NVIDIA's cuBLASLt, on the memory of CubeCL's CUDA runtime.
//!
//! [`form`] says what the library is asked for. It decides which algorithm runs, so that results do not
//! change from run to run. CubeCL keeps its streams to itself. A product therefore runs in a stream of its
//! own, between two events of the whole context: after all work that was enqueued before it, and before all
//! that is enqueued later ([`handle`]).

mod form;
pub(crate) mod handle;

use super::matrices::{Matrices, OUT};
use crate::failure::failed;
use crate::tensor::CubeTensor;
use cubecl::cuda::CudaRuntime;
use cubecl::device_handle::DeviceHandle;
use cubecl::server::{BufferBinding, ServerError};
use cubecl_runtime::runtime::Runtime;
use cubecl_runtime::server::ServerStorage;
use cubecl_server::stream::ExecuteScope;
use form::{Calls, Form};
use handle::Cublas;
use tensor_op_core::{Error, ErrorKind, Precision, Result};

/// The part of CubeCL's runtime that runs on the thread of a device.
type Server = <CudaRuntime as Runtime>::Server;

/// Shorter products are left to cubek: a call of the library takes the thread of the device longer than one
/// of its kernels, by two events and the descriptions of three matrices.
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
    let client = out.device.client();
    if client.is_capturing() {
        return Ok(false);
    }
    // The thread of the device knows the addresses, so it asks the library.
    let thread = DeviceHandle::<Server>::new(client.service_id().device);
    let product = Product::new(cublas, form, calls, tensors);
    match cublas.takes(&product.form) {
        Some(true) => {
            thread.submit(move |server| product.enqueue_or_fail(server));
            Ok(true)
        }
        Some(false) => Ok(false),
        // This thread waits for it once, to learn whether the library has an algorithm.
        None => {
            let asked = thread.submit_blocking(|server| product.enqueue(server));
            let takes = asked.map_err(gone)?.map_err(failed)?;
            cublas.learn(product.form, takes);
            Ok(takes)
        }
    }
}

fn gone(error: impl std::fmt::Debug) -> Error {
    Error::new(ErrorKind::Backend, format!("the thread of the device is gone: {error:?}"))
}

/// A product that the thread of the device enqueues.
struct Product {
    cublas: &'static Cublas,
    form: Form,
    calls: Calls,
    /// Buffers of lhs, rhs and out. They are no handles, which would keep others from reusing the memory.
    memory: [BufferBinding; 3],
    /// Bytes from the starts of the buffers.
    starts: [u64; 3],
}

impl Product {
    fn new(cublas: &'static Cublas, form: Form, calls: Calls, tensors: [&CubeTensor; 3]) -> Product {
        let memory = tensors.map(|tensor| tensor.handle.clone().binding());
        let starts = tensors.map(|tensor| (tensor.layout.offset * tensor.elem().size()) as u64);
        // Buffers start at multiples of this.
        let aligned = tensors[OUT].device.properties().memory.alignment;
        let offset = |at: usize| memory[at].offset_start.unwrap_or(0) | starts[at];
        let steps = calls.starts.iter().flatten().copied();
        let all = steps.chain((0..3).map(offset)).fold(handle::ALIGNMENT | aligned, |all, one| all | one);
        let form = Form { alignment: 1 << all.trailing_zeros(), ..form };
        Product { cublas, form, calls, memory, starts }
    }

    /// Enqueues the product. If that fails, whoever reads the result gets the error.
    fn enqueue_or_fail(self, server: &mut Server) {
        let (out, starts) = (self.memory[OUT].clone(), self.starts(server));
        // From here on the result is not written, until the scope has ended well.
        let _ = ExecuteScope::over(server, out.stream, vec![out]).execute(|_| {
            if self.multiply(starts?)? {
                return Ok(());
            }
            Err(failure("cuBLASLt has no algorithm for a product that it had before".to_string()))
        });
    }

    /// Enqueues the product. Returns `false` if the library has none for it.
    fn enqueue(&self, server: &mut Server) -> std::result::Result<bool, ServerError> {
        self.multiply(self.starts(server)?)
    }

    /// The addresses of lhs, rhs and out. The buffers stay in their places as long as `self` holds them.
    fn starts(&self, server: &mut Server) -> std::result::Result<[u64; 3], ServerError> {
        let stream = self.memory[OUT].stream;
        let mut start = |at: usize| {
            let resource = server.get_resource(self.memory[at].clone(), stream)?;
            Ok::<_, ServerError>(resource.resource().ptr + self.starts[at])
        };
        Ok([start(0)?, start(1)?, start(2)?])
    }

    fn multiply(&self, starts: [u64; 3]) -> std::result::Result<bool, ServerError> {
        let Some(mut handle) = self.cublas.handle(starts[0]) else { return Ok(false) };
        // SAFETY: the axes of the product lie inside of the tensors, whose memory `self` holds until the
        // product is enqueued. Work that reuses this memory is enqueued later, so it waits. Buffers start at
        // multiples of the alignment that CubeCL names, from which the form's was made.
        unsafe { handle.multiply(self.form, &self.calls, starts) }
            .map_err(|error| failure(format!("cuBLASLt could not multiply two matrices: {error}")))
    }
}

fn failure(reason: String) -> ServerError {
    ServerError::Generic { reason, backtrace: Default::default() }
}
