//! PyTorch's layers: an op of the catalogue, with the weights and settings that the layer of a case has.

use crate::case::Case;
use crate::windows::{self, Windows};
use serde_json::Value;
use tensor_op::catalogue::norm::{batch_norm, group_norm, instance_norm, layer_norm};
use tensor_op::prelude::*;

impl Case {
    fn weight_of(&self, layer: &str) -> Option<Tensor> {
        self.optional_weight(&format!("{layer}.weight"))
    }

    fn bias_of(&self, layer: &str) -> Option<Tensor> {
        self.optional_weight(&format!("{layer}.bias"))
    }

    fn real(&self, layer: &str, name: &str) -> f64 {
        self.setting(layer, name).as_f64().expect("the setting is a number")
    }

    fn whole(&self, layer: &str, name: &str) -> i64 {
        self.setting(layer, name).as_i64().expect("the setting is a whole number")
    }

    fn flag(&self, layer: &str, name: &str) -> bool {
        self.setting(layer, name).as_bool().expect("the setting is a bool")
    }

    /// One number for each axis, or one number for all.
    fn each(&self, layer: &str, name: &str, axes: usize) -> Vec<i64> {
        let whole = |value: &Value| value.as_i64().expect("the setting has whole numbers");
        match self.setting(layer, name) {
            Value::Array(values) => values.iter().map(whole).collect(),
            value => vec![whole(value); axes],
        }
    }

    /// The windows of a layer over `[b, c, ..]`.
    fn windows(&self, layer: &str, axes: usize) -> Windows {
        let padding = self.each(layer, "padding", axes).into_iter();
        Windows {
            kernel: self.each(layer, "kernel_size", axes),
            stride: self.each(layer, "stride", axes),
            padding: padding.map(|size| (size, size)).collect(),
            dilation: vec![1; axes],
            ceil: false,
        }
    }

    fn dilated(&self, layer: &str, axes: usize) -> Windows {
        Windows { dilation: self.each(layer, "dilation", axes), ..self.windows(layer, axes) }
    }

    pub(crate) fn linear(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        x.linear(self.weight(&format!("{layer}.weight")), self.bias_of(layer))
    }

    pub(crate) fn conv(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let (weight, groups) = (self.weight(&format!("{layer}.weight")), self.whole(layer, "groups"));
        let windows = self.dilated(layer, x.rank() - 2);
        windows::convolution(x, &weight, self.bias_of(layer), &windows, groups as usize)
    }

    pub(crate) fn conv_transpose(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let (weight, groups) = (self.weight(&format!("{layer}.weight")), self.whole(layer, "groups"));
        let mut windows = self.dilated(layer, x.rank() - 2);
        let extra = self.each(layer, "output_padding", x.rank() - 2);
        windows.padding.iter_mut().zip(extra).for_each(|((_, behind), extra)| *behind -= extra);
        windows::transposed_convolution(x, &weight, self.bias_of(layer), &windows, groups as usize)
    }

    pub(crate) fn max_pool(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        Ok(windows::max_pool(x, &self.dilated(layer, x.rank() - 2))?.0)
    }

    pub(crate) fn avg_pool(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let windows = self.windows(layer, x.rank() - 2);
        windows::avg_pool(x, &windows, self.flag(layer, "count_include_pad"), 0)
    }

    /// In training, as the models are when they are made.
    pub(crate) fn batch_norm(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let eps = self.real(layer, "eps");
        let (weight, bias) = (self.weight_of(layer), self.bias_of(layer));
        Ok(batch_norm(x, None, None, weight, bias, true, None, eps)?.0)
    }

    pub(crate) fn group_norm(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let (groups, eps) = (self.whole(layer, "num_groups"), self.real(layer, "eps"));
        group_norm(x, groups as usize, self.weight_of(layer), self.bias_of(layer), eps)
    }

    pub(crate) fn instance_norm(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let eps = self.real(layer, "eps");
        let (weight, bias) = (self.weight_of(layer), self.bias_of(layer));
        Ok(instance_norm(x, None, None, weight, bias, None, None, eps)?.0)
    }

    /// Over as many of the last axes as the weight has.
    pub(crate) fn layer_norm(&self, layer: &str, x: &Tensor) -> Result<Tensor> {
        let [weight, bias] = ["weight", "bias"].map(|name| self.weight(&format!("{layer}.{name}")));
        let eps = self.real(layer, "eps");
        layer_norm(x, &weight.shape()[..], &weight, bias, eps)
    }
}
