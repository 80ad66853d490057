//! The quantized tensor: what it stores, and how floats become one and come back.

use super::layout::Layout;
use super::params::{check, error, found, stored, with};
use super::scheme::QuantScheme;
use crate::catalogue::quantize::{dequantize_packed, pack, quantize_packed, unpack};
use crate::module::child;
use crate::{DType, Device, ErrorKind, IntoOptionalTensor, IntoTensor, Module, Result, Shape, Tensor};
use tensor_op_spec::ir::Kind;

/// A quantized tensor: ints in words, with scales, and with zero points if it is affine. It has no gradient.
///
/// As a [`Module`] it has the tensors `values`, `scale` and `zero_point`. So a model with quantized weights
/// is saved and read as any other, into the places of a model with the same shapes and schemes:
///
/// ```
/// use tensor_op::prelude::*;
/// use tensor_op::quantized::{QTensor, QuantScheme};
///
/// #[derive(Module)]
/// struct Layer {
///     weight: QTensor,
/// }
///
/// # fn main() -> Result<()> {
/// let scheme = QuantScheme::int4().per_channel(0);
/// let layer = |x: [[f32; 2]; 2]| Ok(Layer { weight: Tensor::from(x).quantize(&scheme)? });
/// let trained: Result<Layer> = layer([[1.0, 0.25], [-7.0, 2.0]]);
/// let state = trained?.state_dict()?;
/// assert_eq!(state.keys().collect::<Vec<_>>(), ["weight.scale", "weight.values"]);
///
/// let mut read: Layer = layer([[0.0; 2]; 2])?;
/// read.load_state_dict(&state)?;
/// assert_eq!(read.weight.int_repr()?.to_vec::<i64>()?, [7, 2, -7, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct QTensor {
    values: Tensor,
    scale: Tensor,
    zero_point: Option<Tensor>,
    scheme: QuantScheme,
    shape: Shape,
}

impl Tensor {
    /// Quantizes the elements, with scales for their ranges. A symmetric scale is the largest magnitude
    /// divided by the largest int. An affine one is the range of the elements and 0, divided by the number of
    /// steps. Before a float that comes back is rounded to the dtype, its error is at most half a scale; in
    /// an affine scheme it is at most one scale, because the zero point is rounded too. Zeros alone have the
    /// scale 1.
    ///
    /// If an element is infinite or NaN, all elements that share its scale go back as NaN.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    /// use tensor_op::quantized::QuantScheme;
    ///
    /// # fn main() -> Result<()> {
    /// let x = Tensor::from([[1.27_f32, -0.5, 0.3], [0.0, 0.0, 0.0]]);
    /// let q = x.quantize(&QuantScheme::int8().per_channel(0))?;
    /// assert_eq!(q.int_repr()?.to_vec::<i64>()?, [127, -50, 30, 0, 0, 0]);
    /// assert_eq!(q.dequantize()?.shape(), x.shape());
    ///
    /// let error = x.quantize(&QuantScheme::int8().per_block(2)).unwrap_err();
    /// assert!(error.to_string().contains("blocks of 2 don't divide the last axis of shape [2, 3]"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The tensor is not of floats, or has no such axis, or its blocks don't divide the last axis.
    pub fn quantize(&self, scheme: &QuantScheme) -> Result<QTensor> {
        with("quantize", || {
            let layout = Layout::new(&self.shape(), scheme.level, scheme.value.lanes())?;
            let (scale, zero_point) = found(&self.detach(), scheme, &layout)?;
            QTensor::of_floats(self, scheme, &layout, scale, zero_point)
        })
    }

    /// Quantizes the elements with scales that are given, and zero points if it is affine: of shape `[]` for
    /// the tensor, of one axis for channels, and for blocks of the shape of the tensor, with blocks along the
    /// last axis. `torch.quantize_per_tensor`, `torch.quantize_per_channel`.
    ///
    /// Elements outside of the range of the ints, and infinities, become the smallest or the largest int. NaN
    /// becomes the zero point, since no int stands for it.
    ///
    /// # Errors
    ///
    /// Those of [`quantize`](Tensor::quantize). The scales have another shape or dtype, or zero points are
    /// missing or too many.
    pub fn quantize_with(
        &self,
        scheme: &QuantScheme,
        scale: impl IntoTensor,
        zero_point: impl IntoOptionalTensor,
    ) -> Result<QTensor> {
        let (scale, zero_point) = (scale.into_tensor()?, zero_point.into_optional_tensor()?);
        with("quantize_with", || {
            let layout = Layout::new(&self.shape(), scheme.level, scheme.value.lanes())?;
            check(scheme, &layout, self.dtype(), &scale, &zero_point)?;
            QTensor::of_floats(self, scheme, &layout, scale.detach(), zero_point)
        })
    }
}

impl QTensor {
    fn of_floats(
        x: &Tensor,
        scheme: &QuantScheme,
        layout: &Layout,
        scale: Tensor,
        zero_point: Option<Tensor>,
    ) -> Result<QTensor> {
        let (low, high) = scheme.range();
        let zeros = zero_point.as_ref().map(|zero_point| layout.spread(zero_point)).transpose()?;
        let words = quantize_packed(layout.split(&x.detach())?, layout.spread(&scale)?, zeros, low, high)?;
        QTensor::of_words(words, scheme, layout, scale, zero_point, x.shape())
    }

    /// Makes a quantized tensor of ints, which another library has found. The scales say the dtype to which
    /// it goes back; their shapes are those of [`Tensor::quantize_with`].
    ///
    /// ```
    /// use tensor_op::prelude::*;
    /// use tensor_op::quantized::{QTensor, QuantScheme};
    ///
    /// # fn main() -> Result<()> {
    /// let (scale, zero_point) = (Tensor::scalar(0.5_f32, &Device::default())?, Tensor::from([1]).reshape([0; 0])?);
    /// let scheme = QuantScheme::int4().affine();
    /// let q = QTensor::from_int_repr(Tensor::from([7, -8, 1]), scale, zero_point, &scheme)?;
    /// assert_eq!(q.dequantize()?.to_vec::<f32>()?, [3.0, -4.5, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The elements are no ints, or out of the range of the scheme, which is read from the device. The scales
    /// or zero points don't fit.
    pub fn from_int_repr(
        ints: impl IntoTensor,
        scale: impl IntoTensor,
        zero_point: impl IntoOptionalTensor,
        scheme: &QuantScheme,
    ) -> Result<QTensor> {
        let (ints, scale) = (ints.into_tensor()?, scale.into_tensor()?.detach());
        let zero_point = zero_point.into_optional_tensor()?;
        with("from_int_repr", || {
            let layout = Layout::new(&ints.shape(), scheme.level, scheme.value.lanes())?;
            check(scheme, &layout, scale.dtype(), &scale, &zero_point)?;
            check_ints(&ints, scheme)?;
            QTensor::of_words(pack(layout.split(&ints)?)?, scheme, &layout, scale, zero_point, ints.shape())
        })
    }

    fn of_words(
        words: Tensor,
        scheme: &QuantScheme,
        layout: &Layout,
        scale: Tensor,
        zero_point: Option<Tensor>,
        shape: Shape,
    ) -> Result<QTensor> {
        let values = words.cast(stored(&words.device()))?.reshape(layout.packed())?;
        Ok(QTensor { values, scale, zero_point, scheme: *scheme, shape })
    }

    /// The floats that the ints stand for, in the dtype of the scales. `torch.dequantize`.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn dequantize(&self) -> Result<Tensor> {
        with("dequantize", || {
            let layout = self.layout()?;
            let (scale, zero_point) = self.spread(&layout)?;
            let floats = dequantize_packed(self.values.reshape(layout.words())?, scale, zero_point)?;
            layout.join(&floats)
        })
    }

    /// The ints. `torch.Tensor.int_repr`.
    ///
    /// # Errors
    ///
    /// A device fails.
    pub fn int_repr(&self) -> Result<Tensor> {
        with("int_repr", || {
            let layout = self.layout()?;
            layout.join(&unpack(self.values.reshape(layout.words())?, self.scheme.value.lanes())?)
        })
    }

    /// The words, of i32, along the last axis; of i64 on a device without i32. The first int of a word is in
    /// its lowest bits.
    pub fn values(&self) -> &Tensor {
        &self.values
    }

    /// The scales.
    pub fn scale(&self) -> &Tensor {
        &self.scale
    }

    /// The ints that stand for 0, if the scheme is affine.
    pub fn zero_point(&self) -> Option<&Tensor> {
        self.zero_point.as_ref()
    }

    /// How the tensor is quantized.
    pub fn scheme(&self) -> &QuantScheme {
        &self.scheme
    }

    /// The shape of the tensor of floats.
    pub fn shape(&self) -> Shape {
        self.shape.clone()
    }

    /// The dtype to which it goes back.
    pub fn dtype(&self) -> DType {
        self.scale.dtype()
    }

    /// The device that holds it.
    pub fn device(&self) -> Device {
        self.values.device()
    }

    /// The bytes of all that is stored: words, scales and zero points.
    ///
    /// ```
    /// use tensor_op::prelude::*;
    /// use tensor_op::quantized::QuantScheme;
    ///
    /// # fn main() -> Result<()> {
    /// let x = Tensor::zeros([64, 128], DType::F32, &Device::default())?;
    /// assert_eq!(x.quantize(&QuantScheme::int8())?.bytes(), 64 * 128 + 4);
    /// let blocks = x.quantize(&QuantScheme::int4().affine().per_block(32))?;
    /// assert_eq!(blocks.bytes(), 64 * 128 / 2 + 64 * 4 * (4 + 4));
    /// # Ok(())
    /// # }
    /// ```
    pub fn bytes(&self) -> usize {
        let bytes = |tensor: &Tensor| tensor.elements() * tensor.dtype().size();
        bytes(&self.values) + bytes(&self.scale) + self.zero_point.as_ref().map_or(0, bytes)
    }

    /// Moves it to another device.
    ///
    /// # Errors
    ///
    /// A device fails, or has no tensors of the dtype.
    pub fn to(&self, device: &Device) -> Result<QTensor> {
        let zero_point = self.zero_point.as_ref().map(|zero_point| zero_point.to(device)).transpose()?;
        Ok(QTensor {
            values: self.values.to(device)?,
            scale: self.scale.to(device)?,
            zero_point,
            ..self.clone()
        })
    }

    /// The same ints, which go back to another dtype: the scales are rounded to it.
    ///
    /// # Errors
    ///
    /// The dtype is not a float, or the device has no tensors of it.
    pub fn cast(&self, dtype: DType) -> Result<QTensor> {
        if dtype.kind() != Kind::Float {
            let message = format!("{dtype} is no float; write f64, f32, f16 or bf16");
            return Err(error(ErrorKind::DType, message).with_op("cast"));
        }
        Ok(QTensor { scale: self.scale.cast(dtype)?, ..self.clone() })
    }

    pub(super) fn layout(&self) -> Result<Layout> {
        Layout::new(&self.shape, self.scheme.level, self.scheme.value.lanes())
    }

    /// The scale and the zero point of each element, as formulas take them.
    pub(super) fn spread(&self, layout: &Layout) -> Result<(Tensor, Option<Tensor>)> {
        let zero_point = self.zero_point.as_ref().map(|zero_point| layout.spread(zero_point));
        Ok((layout.spread(&self.scale)?, zero_point.transpose()?))
    }
}

/// Returns an `Err` unless all elements are ints of the scheme.
fn check_ints(ints: &Tensor, scheme: &QuantScheme) -> Result<()> {
    if ints.dtype().kind() != Kind::Int {
        let message = format!("has dtype {}, and quantized values are ints; cast it", ints.dtype());
        return Err(error(ErrorKind::DType, message).with_arg("ints"));
    }
    if ints.elements() == 0 {
        return Ok(());
    }
    let (low, high) = scheme.range();
    for end in [ints.amin(..)?, ints.amax(..)?] {
        let end = end.item::<i64>()?;
        if end < low || end > high {
            let (value, mode) = (scheme.value, scheme.mode);
            let message = format!("has {end}, and {mode:?} {value:?} goes from {low} to {high}");
            return Err(error(ErrorKind::Overflow, message).with_arg("ints"));
        }
    }
    Ok(())
}

impl Module for QTensor {
    fn visit<'m>(&'m self, name: &str, visit: &mut dyn FnMut(&str, &'m Tensor)) {
        visit(&child(name, "values"), &self.values);
        visit(&child(name, "scale"), &self.scale);
        self.zero_point.iter().for_each(|zero_point| visit(&child(name, "zero_point"), zero_point));
    }

    fn visit_mut<'m>(&'m mut self, name: &str, visit: &mut dyn FnMut(&str, &'m mut Tensor)) {
        visit(&child(name, "values"), &mut self.values);
        visit(&child(name, "scale"), &mut self.scale);
        self.zero_point.iter_mut().for_each(|zero_point| visit(&child(name, "zero_point"), zero_point));
    }
}
