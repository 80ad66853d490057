//! Level 1: transposed convolutions.

use super::Problem;

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/057 conv_transposed_2D_square_input_square_kernel", |m| m.conv_transpose("conv_transpose2d", m.x())),
    ("1/058 conv_transposed_3D_asymmetric_input_asymmetric_kernel", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/061 conv_transposed_3D_square_input_square_kernel", |m| m.conv_transpose("conv_transpose3d", m.x())),
    ("1/064 conv_transposed_1D", |m| m.conv_transpose("conv1d_transpose", m.x())),
    ("1/065 conv_transposed_2D_square_input_asymmetric_kernel", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
    ("1/068 conv_transposed_3D_square_input_asymmetric_kernel", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/069 conv_transposed_2D_asymmetric_input_asymmetric_kernel", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
    ("1/070 conv_transposed_3D_asymmetric_input_square_kernel", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/071 conv_transposed_2D_asymmetric_input_square_kernel", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
    ("1/072 conv_transposed_3D_asymmetric_input_asymmetric_kernel_strided_padded_grouped", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/073 conv_transposed_3D_asymmetric_input_square_kernel_strided_padded_grouped", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/074 conv_transposed_1D_dilated", |m| m.conv_transpose("conv1d_transpose", m.x())),
    ("1/075 conv_transposed_2D_asymmetric_input_asymmetric_kernel_strided_grouped_padded_dilated", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
    ("1/077 conv_transposed_3D_square_input_square_kernel_padded_dilated_strided", |m| {
        m.conv_transpose("conv_transpose3d", m.x())
    }),
    ("1/078 conv_transposed_2D_asymmetric_input_asymmetric_kernel_padded", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
    ("1/079 conv_transposed_1D_asymmetric_input_square_kernel_padded_strided_dilated", |m| {
        m.conv_transpose("conv1d_transpose", m.x())
    }),
    ("1/081 conv_transposed_2D_asymmetric_input_square_kernel_dilated_padded_strided", |m| {
        m.conv_transpose("conv_transpose2d", m.x())
    }),
];
