//! Level 1: pooling.

use super::Problem;

pub(super) const PROBLEMS: &[Problem] = &[
    ("1/041 Max_Pooling_1D", |m| m.max_pool("maxpool", m.x())),
    ("1/042 Max_Pooling_2D", |m| m.max_pool("maxpool", m.x())),
    ("1/043 Max_Pooling_3D", |m| m.max_pool("maxpool", m.x())),
    ("1/044 Average_Pooling_1D", |m| m.avg_pool("avg_pool", m.x())),
    ("1/045 Average_Pooling_2D", |m| m.avg_pool("avg_pool", m.x())),
    ("1/046 Average_Pooling_3D", |m| m.avg_pool("avg_pool", m.x())),
];
