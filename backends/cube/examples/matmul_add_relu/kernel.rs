//! A product of matrices with a bias and relu, whose leading axes broadcast: as a formula, and as a kernel
//! that is written by hand in CubeCL and runs in place of the generated one on every GPU.

use cubecl::prelude::CubeDim;
use tensor_op::gpu::{Args, CubeTensor};
use tensor_op::prelude::{DType, tensor_op};
use tensor_op::{Error, ErrorKind, Result, Shape};

/// The formula says what the kernel must compute: the generated tests compare the two. The gradient is
/// derived from it.
#[tensor_op(tests(dtypes = f32))]
#[kernel(cube = launch)]
pub(crate) fn matmul_add_relu(
    lhs: Tensor![.., m, k],
    rhs: Tensor![.., k, n],
    bias: Tensor![n],
) -> Tensor![.., m, n] {
    relu(sum(lhs * rhs, k) + bias)
}

/// What runs on the device.
mod device {
    use cubecl::prelude::*;

    /// Each unit computes one element. Tensors are read through their strides, so that nothing is copied.
    #[cube(launch)]
    pub(super) fn matmul_add_relu<F: Float>(
        lhs: &Tensor<F>,
        rhs: &Tensor<F>,
        bias: &Tensor<F>,
        out: &mut Tensor<F>,
    ) {
        let rank = out.rank();
        let position = ABSOLUTE_POS;
        if position < out.len() {
            let column = position % out.shape(rank - 1);
            let row = position / out.shape(rank - 1) % out.shape(rank - 2);
            let mut lhs_at = row * lhs.stride(rank - 2);
            let mut rhs_at = column * rhs.stride(rank - 1);
            for axis in 0..rank - 2 {
                let index = position / out.stride(axis) % out.shape(axis);
                lhs_at += index * lhs.stride(axis);
                rhs_at += index * rhs.stride(axis);
            }
            let mut sum = F::new(0.0);
            for i in 0..lhs.shape(rank - 1) {
                let left = lhs[lhs_at + i * lhs.stride(rank - 1)];
                sum += left * rhs[rhs_at + i * rhs.stride(rank - 2)];
            }
            sum += bias[column * bias.stride(0)];
            // A maximum would give 0 for NaN.
            if sum <= F::new(0.0) {
                sum = F::new(0.0);
            }
            out[position] = sum;
        }
    }
}

/// Launches the kernel. When it is called, shapes agree with the declaration, and all tensors lie on one
/// device.
pub(crate) fn launch(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
    let (lhs, rhs, bias) = (args.tensor("lhs")?, args.tensor("rhs")?, args.tensor("bias")?);
    takes_f32(&[lhs, rhs, bias])?;
    let (outer, [m, k]) = split(lhs.shape());
    let (other, [_, n]) = split(rhs.shape());
    let outer = outer.broadcast(&other)?;
    let with = |inner: [usize; 2]| -> Shape { outer.iter().copied().chain(inner).collect() };
    let mut out = lhs.empty_beside(&with([m, n]), DType::F32)?;
    let elements = with([m, n]).elements()?;
    if elements > 0 {
        device::matmul_add_relu::launch::<f32>(
            lhs.client(),
            lhs.cubes(elements, 64)?,
            CubeDim::new_1d(64),
            // A repeated axis has the stride 0.
            lhs.broadcast_to(&with([m, k]))?.arg()?,
            rhs.broadcast_to(&with([k, n]))?.arg()?,
            bias.arg()?,
            out.out_arg()?,
        );
    }
    Ok(vec![out])
}

/// The kernel is compiled for f32.
pub(crate) fn takes_f32(tensors: &[&CubeTensor]) -> Result<()> {
    match tensors.iter().find(|tensor| tensor.dtype() != DType::F32) {
        None => Ok(()),
        Some(other) => {
            let message = format!("the kernel takes f32, not {}", other.dtype());
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

/// The leading axes, and the last two.
fn split(shape: &Shape) -> (Shape, [usize; 2]) {
    let (outer, inner) = shape.split_at(shape.rank() - 2);
    (Shape::new(outer), [inner[0], inner[1]])
}
