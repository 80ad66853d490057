//! Declared ops on the tensors of [Burn](https://burn.dev): `#[tensor_op(burn)]`, and the catalogue.
//!
//! ```
//! # use tensor_op_burn::burn;
//! use burn::Tensor;
//! use burn::tensor::Device;
//! use tensor_op::tensor_op;
//!
//! /// SwiGLU gate, as a function of `Tensor<D>`.
//! #[tensor_op(burn)]
//! fn silu_mul(x: Tensor, gate: Tensor) -> Tensor {
//!     x * gate * sigmoid(gate)
//! }
//!
//! # fn main() {
//! let device = Device::flex().autodiff();
//! let x = Tensor::<2>::ones([2, 3], &device).require_grad();
//! let gradients = silu_mul(x.clone(), Tensor::zeros([1, 3], &device)).sum().backward();
//! assert_eq!(x.grad(&gradients).unwrap().dims(), [2, 3]);
//! # }
//! ```
//!
//! A mistake in the arguments panics, as Burn does, with a message that names the op, the argument and the
//! dim.
//!
//! [`composed`] runs ops as Burn's own operations, for tests and measurements:
//!
//! ```
//! # use tensor_op_burn::burn;
//! use burn::Tensor;
//! use tensor_op::burn::{composed, silu_mul};
//!
//! let x = Tensor::<1>::from_floats([1.0, 2.0], &Default::default());
//! let declared = silu_mul(x.clone(), x.clone());
//! let reference = composed(|| silu_mul(x.clone(), x));
//! declared.into_data().assert_approx_eq::<f32>(&reference.into_data(), Default::default());
//! ```
//!
//! [`OpBackend`] runs any op on the primitives of a Burn backend:
//!
//! ```
//! # use tensor_op_burn::burn;
//! use burn::backend::{Flex, TensorData, ops::FloatTensorOps};
//! use tensor_op::backend::Value;
//! use tensor_op::burn::{OpBackend, OpTensor};
//! use tensor_op::catalogue::nn::SiluMul;
//!
//! let x = Flex::float_from_data(TensorData::from([1.0_f32, 2.0]), &Default::default());
//! let args = vec![Value::Tensor(OpTensor::Float(x.clone())), Value::Tensor(OpTensor::Float(x))];
//! let results = Flex::run_op(&SiluMul, args, &[true])?;
//! assert_eq!(results.len(), 1);
//! # Ok::<_, tensor_op::Error>(())
//! ```

#[cfg(feature = "losses")]
pub use crate::catalogue::losses::{
    kl_div_burn as kl_div, l1_loss_burn as l1_loss, mse_loss_burn as mse_loss, nll_loss_burn as nll_loss,
};
pub use crate::catalogue::nn::{
    add_rms_norm_burn as add_rms_norm, attention_burn as attention, cross_entropy_burn as cross_entropy,
    embedding_burn as embedding, layer_norm_burn as layer_norm, linear_burn as linear,
    log_softmax_burn as log_softmax, matmul_add_relu_burn as matmul_add_relu, matmul_burn as matmul,
    rms_norm_burn as rms_norm, silu_mul_burn as silu_mul, softmax_burn as softmax,
};
pub use tensor_op_burn::{Adapter, NumberKind, OpBackend, OpTensor, TensorKind, composed};

/// The methods of the catalogue's ops on Burn's tensors: `use tensor_op::burn::methods::*`. Where Burn has a
/// method of the name, that is the one that is called.
///
/// ```
/// # use tensor_op_burn::burn;
/// use burn::Tensor;
/// use tensor_op::burn::methods::*;
///
/// let x = Tensor::<2>::from_floats([[1.0, 1.0]], &Default::default());
/// assert_eq!(x.softmax(-1).into_data().try_to_vec::<f32>().unwrap(), [0.5, 0.5]);
/// ```
pub mod methods {
    #[cfg(feature = "vision")]
    pub use crate::catalogue::adaptive::{
        AdaptiveAvgPool1dBurnMethod, AdaptiveAvgPool2dBurnMethod, AdaptiveAvgPool3dBurnMethod,
        AdaptiveMaxPool1dBurnMethod, AdaptiveMaxPool2dBurnMethod,
    };
    pub use crate::catalogue::bits::{
        BitwiseAndBurnMethod, BitwiseNotBurnMethod, BitwiseOrBurnMethod, BitwiseXorBurnMethod,
        LeftShiftBurnMethod, PopcountBurnMethod, RightShiftBurnMethod,
    };
    #[cfg(feature = "vision")]
    pub use crate::catalogue::convolution::{
        Conv1dBurnMethod, Conv2dBurnMethod, Conv3dBurnMethod, ConvTranspose1dBurnMethod,
        ConvTranspose2dBurnMethod, ConvTranspose3dBurnMethod,
    };
    #[cfg(feature = "losses")]
    pub use crate::catalogue::losses::{KlDivBurnMethod, L1LossBurnMethod, MseLossBurnMethod};
    pub use crate::catalogue::movement::{
        ChannelShuffleBurnMethod, FlipBurnMethod, PixelShuffleBurnMethod, PixelUnshuffleBurnMethod,
        TrilBurnMethod, TriuBurnMethod,
    };
    pub use crate::catalogue::nn::{
        LayerNormBurnMethod, LinearBurnMethod, LogSoftmaxBurnMethod, MatmulBurnMethod, RmsNormBurnMethod,
        SoftmaxBurnMethod,
    };
    #[cfg(feature = "vision")]
    pub use crate::catalogue::pooling::{
        AvgPool1dBurnMethod, AvgPool2dBurnMethod, AvgPool3dBurnMethod, LpPool1dBurnMethod,
        LpPool2dBurnMethod, MaxPool1dBurnMethod, MaxPool1dWithIndicesBurnMethod, MaxPool2dBurnMethod,
        MaxPool2dWithIndicesBurnMethod, MaxPool3dBurnMethod, MaxPool3dWithIndicesBurnMethod,
    };
    pub use crate::catalogue::random::{
        AlphaDropoutBurnMethod, BernoulliBurnMethod, DropoutBurnMethod, FeatureAlphaDropoutBurnMethod,
        FeatureDropoutBurnMethod, GumbelSoftmaxBurnMethod, RreluBurnMethod,
    };
    pub use crate::catalogue::scan::{
        CummaxBurnMethod, CumminBurnMethod, CumprodBurnMethod, CumsumBurnMethod, LogcumsumexpBurnMethod,
    };
    pub use crate::catalogue::sort::SortBurnMethod;
}
