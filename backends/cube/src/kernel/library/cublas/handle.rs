//! An opened cuBLASLt: calls of the library and of the driver.

use super::form::{Calls, Form, Matrix};
use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys::{self, cublasLtMatmulAlgo_t, cudaDataType};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError};
use cudarc::driver::{result as driver, sys as cuda};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes that the library may use while it multiplies: what NVIDIA recommends for Hopper.
const WORKSPACE: usize = 32 << 20;
/// The driver that has events of contexts: the one of CUDA 12.5.
const OLDEST_DRIVER: i32 = 12_050;
/// Largest alignment that makes a difference to the library.
pub(super) const ALIGNMENT: u64 = 256;
/// Number of forms whose algorithms are kept.
const MOST_FORMS: usize = 1 << 12;

/// The library for a CUDA device.
#[derive(Default)]
pub(crate) struct Cublas {
    /// Opened when it is first used. `None` if the machine lacks the library.
    handle: OnceLock<Option<Mutex<Handle>>>,
    /// Whether the library has an algorithm for a form. The handle knows it too, but the thread of the device
    /// holds its lock while it enqueues.
    known: Mutex<HashMap<Form, bool>>,
}

impl Cublas {
    /// Whether the library multiplies matrices of this form, if that is known.
    pub(super) fn takes(&self, form: &Form) -> Option<bool> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(form).copied()
    }

    /// Keeps whether the library multiplies matrices of a form.
    pub(super) fn learn(&self, form: Form, takes: bool) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MOST_FORMS {
            known.clear();
        }
        known.insert(form, takes);
    }

    /// The library for the device that has this memory. `None` if it is not installed or the driver is too
    /// old.
    pub(super) fn handle(&self, memory: u64) -> Option<MutexGuard<'_, Handle>> {
        let handle = self.handle.get_or_init(|| Handle::open(memory).map(Mutex::new)).as_ref()?;
        Some(handle.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The library, opened for a device.
pub(super) struct Handle {
    library: sys::cublasLtHandle_t,
    stream: Arc<CudaStream>,
    workspace: u64,
    /// All work that was enqueued before a product.
    before: CudaEvent,
    /// The product.
    after: CudaEvent,
    /// What the library has chosen. `None` if it has nothing.
    algorithms: HashMap<Form, Option<cublasLtMatmulAlgo_t>>,
}

// SAFETY: the library and the driver take their handles from any thread, from one at a time.
unsafe impl Send for Handle {}

/// Why a product failed.
#[derive(Debug)]
pub(super) enum Failure {
    Library(CublasError),
    Driver(DriverError),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Library(error) => write!(f, "{error}"),
            Failure::Driver(error) => write!(f, "{error}"),
        }
    }
}

impl From<CublasError> for Failure {
    fn from(error: CublasError) -> Failure {
        Failure::Library(error)
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Failure {
        Failure::Driver(error)
    }
}

impl Handle {
    fn open(memory: u64) -> Option<Handle> {
        let (mut version, mut ordinal) = (0_i32, 0_i32);
        let attribute = cuda::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the functions write an int each. The first ones only look for a library.
        unsafe {
            if !sys::is_culib_present() {
                return None;
            }
            cuda::cuDriverGetVersion(&mut version).result().ok()?;
            cuda::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, memory).result().ok()?;
        }
        if version < OLDEST_DRIVER {
            return None;
        }
        // CubeCL uses the same context, the primary one of the device.
        let context = CudaContext::new(usize::try_from(ordinal).ok()?).ok()?;
        let stream = context.new_stream().ok()?;
        // SAFETY: the context is current, since the stream was made in it. The memory is never freed.
        let workspace = unsafe { driver::malloc_sync(WORKSPACE) }.ok()?;
        Some(Handle {
            library: result::create_handle().ok()?,
            workspace,
            before: context.new_event(None).ok()?,
            after: context.new_event(None).ok()?,
            stream,
            algorithms: HashMap::new(),
        })
    }

    /// Enqueues a product of matrices whose memory starts at these addresses: lhs, rhs and result. Returns
    /// `false` if the library has no algorithm for it.
    ///
    /// # Safety
    /// The matrices lie in the device's memory, which work that is enqueued later may reuse, and nothing
    /// else. They start at multiples of the form's alignment.
    pub(super) unsafe fn multiply(
        &mut self,
        form: Form,
        calls: &Calls,
        memory: [u64; 3],
    ) -> Result<bool, Failure> {
        let address = |start: &[u64; 3]| -> [u64; 3] {
            std::array::from_fn(|at| memory[calls.operands[at]] + start[at])
        };
        let calls: Vec<[u64; 3]> = calls.starts.iter().map(address).collect();
        let context = self.stream.context().clone();
        context.bind_to_thread()?;
        let call = Call::new(&form)?;
        let Some(algorithm) = self.algorithm(&form, &call)? else { return Ok(false) };
        // SAFETY: the context and the events are alive, and the events belong to the context.
        unsafe { cuda::cuCtxRecordEvent(context.cu_ctx(), self.before.cu_event()) }.result()?;
        self.stream.wait(&self.before)?;
        let run = |matrices: [u64; 3]| -> Result<(), Failure> {
            // SAFETY: the caller vouches for the matrices. The workspace is as large as was said to the
            // library.
            Ok(unsafe { call.run(self, &algorithm, matrices) }?)
        };
        let enqueued = calls.into_iter().try_for_each(run).and_then(|()| {
            self.after.record(&self.stream)?;
            // SAFETY: as above.
            Ok(unsafe { cuda::cuCtxWaitEvent(context.cu_ctx(), self.after.cu_event()) }.result()?)
        });
        if let Err(error) = enqueued {
            // Later work does not wait for the calls that were enqueued, so they end here.
            self.stream.synchronize()?;
            return Err(error);
        }
        Ok(true)
    }

    /// The algorithm that the library chooses for a form.
    fn algorithm(&mut self, form: &Form, call: &Call) -> Result<Option<cublasLtMatmulAlgo_t>, CublasError> {
        if let Some(known) = self.algorithms.get(form) {
            return Ok(*known);
        }
        let chosen = call.choose(self.library, form)?;
        if self.algorithms.len() == MOST_FORMS {
            self.algorithms.clear();
        }
        self.algorithms.insert(*form, chosen);
        Ok(chosen)
    }
}

/// The library's descriptions of a product.
struct Call {
    product: sys::cublasLtMatmulDesc_t,
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    is_double: bool,
}

impl Call {
    fn new(form: &Form) -> Result<Call, CublasError> {
        let is_double = form.factors == cudaDataType::CUDA_R_64F;
        let (compute, scale) = if is_double {
            (sys::cublasComputeType_t::CUBLAS_COMPUTE_64F, cudaDataType::CUDA_R_64F)
        } else if form.rounds {
            (sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32, cudaDataType::CUDA_R_32F)
        } else {
            (sys::cublasComputeType_t::CUBLAS_COMPUTE_32F, cudaDataType::CUDA_R_32F)
        };
        let mut call = Call {
            product: result::create_matmul_desc(compute, scale)?,
            layouts: [std::ptr::null_mut(); 3],
            is_double,
        };
        let [first, second, out] = form.matrices;
        let transposes = [
            (sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_TRANSA, first.is_transposed),
            (sys::cublasLtMatmulDescAttributes_t::CUBLASLT_MATMUL_DESC_TRANSB, second.is_transposed),
        ];
        for (attribute, is_transposed) in transposes {
            let operation = i32::from(is_transposed);
            // SAFETY: the attribute is an int: 0 for a matrix as it is, 1 for its transpose.
            unsafe {
                result::set_matmul_desc_attribute(
                    call.product,
                    attribute,
                    (&raw const operation).cast(),
                    size_of_val(&operation),
                )?;
            }
        }
        call.layouts[0] = layout(first, [form.rows, form.k], form.batch, form.factors)?;
        call.layouts[1] = layout(second, [form.k, form.columns], form.batch, form.factors)?;
        call.layouts[2] = layout(out, [form.rows, form.columns], form.batch, form.out)?;
        Ok(call)
    }

    /// Asks for the algorithm. Sums that are cut into parts are added up in the type of the arithmetic, and
    /// not in the result's, as PyTorch lets halves do.
    fn choose(
        &self,
        library: sys::cublasLtHandle_t,
        form: &Form,
    ) -> Result<Option<cublasLtMatmulAlgo_t>, CublasError> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let parts = sys::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;
        let (workspace, alignment) = (WORKSPACE as u64, form.alignment as u32);
        let wishes = [
            (Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (&raw const workspace).cast::<c_void>(), 8),
            (Attribute::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, (&raw const parts).cast(), 4),
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, (&raw const alignment).cast(), 4),
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, (&raw const alignment).cast(), 4),
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, (&raw const alignment).cast(), 4),
            (Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, (&raw const alignment).cast(), 4),
        ];
        let preference = result::create_matmul_pref()?;
        let [first, second, out] = self.layouts;
        // SAFETY: the attributes have these sizes, and all descriptions are alive.
        let chosen = unsafe {
            let set = wishes.into_iter().try_for_each(|(attribute, value, size)| {
                result::set_matmul_pref_attribute(preference, attribute, value, size)
            });
            let chosen = set.and_then(|()| {
                result::get_matmul_algo_heuristic(library, self.product, first, second, out, out, preference)
            });
            result::destroy_matmul_pref(preference)?;
            chosen
        };
        match chosen {
            Ok(chosen) => Ok(Some(chosen.algo)),
            Err(CublasError(sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// # Safety
    /// The matrices have the layouts, and lie in the device's memory.
    unsafe fn run(
        &self,
        handle: &Handle,
        algorithm: &cublasLtMatmulAlgo_t,
        [first, second, out]: [u64; 3],
    ) -> Result<(), CublasError> {
        let (singles, doubles) = ([1.0_f32, 0.0], [1.0_f64, 0.0]);
        let [one, zero]: [*const c_void; 2] = if self.is_double {
            [(&raw const doubles[0]).cast(), (&raw const doubles[1]).cast()]
        } else {
            [(&raw const singles[0]).cast(), (&raw const singles[1]).cast()]
        };
        let [first_layout, second_layout, layout] = self.layouts;
        // SAFETY: the caller vouches for the matrices, and the rest is alive.
        unsafe {
            result::matmul(
                handle.library,
                self.product,
                one,
                zero,
                first as *const c_void,
                first_layout,
                second as *const c_void,
                second_layout,
                out as *const c_void,
                layout,
                out as *mut c_void,
                layout,
                algorithm,
                handle.workspace as *mut c_void,
                WORKSPACE,
                handle.stream.cu_stream().cast(),
            )
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: nothing else has the descriptions. What could not be made is null. What can't be destroyed
        // is left.
        unsafe {
            for layout in self.layouts.into_iter().filter(|layout| !layout.is_null()) {
                result::destroy_matrix_layout(layout).ok();
            }
            result::destroy_matmul_desc(self.product).ok();
        }
    }
}

/// The layout of a matrix that has this shape in the product.
fn layout(
    matrix: Matrix,
    [rows, columns]: [usize; 2],
    batch: usize,
    elem: cudaDataType,
) -> Result<sys::cublasLtMatrixLayout_t, CublasError> {
    use sys::cublasLtMatrixLayoutAttribute_t as Attribute;
    let [rows, columns] = if matrix.is_transposed { [columns, rows] } else { [rows, columns] };
    let layout = result::create_matrix_layout(elem, rows as u64, columns as u64, matrix.step as i64)?;
    let (count, stride) = (batch as i32, matrix.batch as i64);
    // SAFETY: the attributes are an int and a long.
    let set = unsafe {
        let count = (&raw const count).cast();
        let stride = (&raw const stride).cast();
        let attribute = Attribute::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
        result::set_matrix_layout_attribute(layout, attribute, count, 4).and_then(|()| {
            let attribute = Attribute::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;
            result::set_matrix_layout_attribute(layout, attribute, stride, 8)
        })
    };
    match set {
        Ok(()) => Ok(layout),
        Err(error) => {
            // SAFETY: nothing else has the layout.
            unsafe { result::destroy_matrix_layout(layout)? };
            Err(error)
        }
    }
}
