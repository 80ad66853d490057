//! Colours of images. Names and arguments are those of `torchvision.transforms.functional`; images are
//! `[.., c, h, w]` with numbers from 0 to 1. Sizes are changed by [`resize`](super::resize).
//!
//! ```
//! use tensor_op::catalogue::image::{invert, rgb_to_grayscale};
//! use tensor_op::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let white = Tensor::ones([3, 1, 1], DType::F64, &Device::default())?;
//! assert!((rgb_to_grayscale(&white)?.item::<f64>()? - 0.9999).abs() < 1e-12);
//! assert_eq!(invert(&white)?.to_vec::<f64>()?, [0.0; 3]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use crate::tensor_op;

/// Each channel, less its mean and by its standard deviation. `torchvision.transforms.functional.normalize`.
#[tensor_op]
pub fn normalize_channels(
    image: Tensor![.., c, h, w],
    mean: Tensor![c],
    std: Tensor![c],
) -> Tensor![.., c, h, w] {
    (image - mean) / std
}

/// The brightness of each pixel. `torchvision.transforms.functional.rgb_to_grayscale`, without the axis of
/// channels.
#[tensor_op]
pub fn rgb_to_grayscale(image: Tensor![.., c = 3, h, w]) -> Tensor![.., h, w] {
    let weight = select(iota(c) == 0, 0.2989, select(iota(c) == 1, 0.587, 0.114));
    sum(image * weight, c)
}

/// The image times a factor. `torchvision.transforms.functional.adjust_brightness`.
#[tensor_op]
pub fn adjust_brightness(image: Tensor, brightness_factor: f64) -> Tensor {
    clamp(image * brightness_factor, 0.0, 1.0)
}

/// The image, moved away from the mean of its brightness.
/// `torchvision.transforms.functional.adjust_contrast`.
#[tensor_op]
pub fn adjust_contrast(image: Tensor![.., c = 3, h, w], contrast_factor: f64) -> Tensor![.., c = 3, h, w] {
    let level = mean(self::rgb_to_grayscale(image), (h, w));
    clamp(level + contrast_factor * (image - level), 0.0, 1.0)
}

/// The image, moved away from its brightness. `torchvision.transforms.functional.adjust_saturation`.
#[tensor_op]
pub fn adjust_saturation(
    image: Tensor![.., c = 3, h, w],
    saturation_factor: f64,
) -> Tensor![.., c = 3, h, w] {
    let gray = self::rgb_to_grayscale(image);
    clamp(gray + saturation_factor * (image - gray), 0.0, 1.0)
}

/// A power of each number, times a gain. `torchvision.transforms.functional.adjust_gamma`.
#[tensor_op]
pub fn adjust_gamma(image: Tensor, gamma: f64, #[default(1.0)] gain: f64) -> Tensor {
    clamp(gain * pow(image, gamma), 0.0, 1.0)
}

/// One less each number. `torchvision.transforms.functional.invert`.
#[tensor_op]
pub fn invert(image: Tensor) -> Tensor {
    1.0 - image
}

/// Numbers from the threshold on, inverted. `torchvision.transforms.functional.solarize`.
#[tensor_op]
pub fn solarize(image: Tensor, threshold: f64) -> Tensor {
    select(image >= threshold, 1.0 - image, image)
}
