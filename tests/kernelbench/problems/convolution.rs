//! Level 1: convolutions.

use super::Problem;

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/050 conv_standard_2D_square_input_square_kernel", |m| m.conv("conv1", m.x())),
    ("1/054 conv_standard_3D_square_input_square_kernel", |m| m.conv("conv3d", m.x())),
    ("1/055 conv_standard_2D_asymmetric_input_square_kernel", |m| m.conv("conv2d", m.x())),
    ("1/056 conv_standard_2D_asymmetric_input_asymmetric_kernel", |m| m.conv("conv2d", m.x())),
    ("1/059 conv_standard_3D_asymmetric_input_square_kernel", |m| m.conv("conv3d", m.x())),
    ("1/060 conv_standard_3D_square_input_asymmetric_kernel", |m| m.conv("conv3d", m.x())),
    ("1/062 conv_standard_2D_square_input_asymmetric_kernel", |m| m.conv("conv2d", m.x())),
    ("1/063 conv_standard_2D_square_input_square_kernel", |m| m.conv("conv2d", m.x())),
    ("1/066 conv_standard_3D_asymmetric_input_asymmetric_kernel", |m| m.conv("conv3d", m.x())),
    ("1/067 conv_standard_1D", |m| m.conv("conv1d", m.x())),
    ("1/076 conv_standard_1D_dilated_strided", |m| m.conv("conv1d", m.x())),
    ("1/080 conv_standard_2D_square_input_asymmetric_kernel_dilated_padded", |m| m.conv("conv2d", m.x())),
    ("1/082 conv_depthwise_2D_square_input_square_kernel", |m| m.conv("conv2d", m.x())),
    ("1/083 conv_depthwise_2D_square_input_asymmetric_kernel", |m| m.conv("conv2d", m.x())),
    ("1/084 conv_depthwise_2D_asymmetric_input_square_kernel", |m| m.conv("conv2d", m.x())),
    ("1/085 conv_depthwise_2D_asymmetric_input_asymmetric_kernel", |m| m.conv("conv2d", m.x())),
    ("1/086 conv_depthwise_separable_2D", |m| m.conv("pointwise", &m.conv("depthwise", m.x())?)),
    ("1/087 conv_pointwise_2D", |m| m.conv("conv1d", m.x())),
];
