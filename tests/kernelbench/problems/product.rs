//! Level 1: products of matrices, and attention.

use super::Problem;
use tensor_op::catalogue::attention::scaled_dot_product_attention;
use tensor_op::prelude::*;

/// The rows of a matrix, each times its number on the diagonal.
#[tensor_op(tests = false)]
fn diagonal_times(diagonal: Tensor![n], matrix: Tensor![n, m]) -> Tensor![n, m] {
    diagonal * matrix
}

#[tensor_op(tests = false)]
fn over_last(x: Tensor![b, i, j, l], y: Tensor![l, k]) -> Tensor![b, i, j, k] {
    sum(x * y, l)
}

#[tensor_op(tests = false)]
fn left_transposed(x: Tensor![k, m], y: Tensor![k, n]) -> Tensor![m, n] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn right_transposed(x: Tensor![m, k], y: Tensor![n, k]) -> Tensor![m, n] {
    sum(x * y, k)
}

#[tensor_op(tests = false)]
fn both_transposed(x: Tensor![k, m], y: Tensor![n, k]) -> Tensor![m, n] {
    sum(x * y, k)
}

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/001 Square_matrix_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/002 Standard_matrix_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/003 Batched_matrix_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/004 Matrix_vector_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/005 Matrix_scalar_multiplication", |m| m.input("A") * m.number("s")),
    ("1/006 Matmul_with_large_K_dimension", |m| m.input("A").matmul(m.input("B"))),
    ("1/007 Matmul_with_small_K_dimension", |m| m.input("A").matmul(m.input("B"))),
    ("1/008 Matmul_with_irregular_shapes", |m| m.input("A").matmul(m.input("B"))),
    ("1/009 Tall_skinny_matrix_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/010 3D_tensor_matrix_multiplication", |m| m.input("A").matmul(m.input("B"))),
    ("1/011 4D_tensor_matrix_multiplication", |m| over_last(m.input("A"), m.input("B"))),
    ("1/012 Matmul_with_diagonal_matrices", |m| diagonal_times(m.input("A"), m.input("B"))),
    ("1/013 Matmul_for_symmetric_matrices", |m| m.input("A").matmul(m.input("B"))),
    ("1/014 Matmul_for_upper_triangular_matrices", |m| m.input("A").matmul(m.input("B"))?.triu(None)),
    ("1/015 Matmul_for_lower_triangular_matrices", |m| m.input("A").matmul(m.input("B"))?.tril(None)),
    ("1/016 Matmul_with_transposed_A", |m| left_transposed(m.input("A"), m.input("B"))),
    ("1/017 Matmul_with_transposed_B", |m| right_transposed(m.input("A"), m.input("B"))),
    ("1/018 Matmul_with_transposed_both", |m| both_transposed(m.input("A"), m.input("B"))),
    ("1/097 ScaledDotProductAttention", |m| {
        let (q, k, v) = (m.input("Q"), m.input("K"), m.input("V"));
        scaled_dot_product_attention(q, k, v, None, None, None, None, None, None)
    }),
];
