//! The catalogue: its list is complete, and its ops have the values of their definitions, also at edges.

mod check;
mod edges;
mod list;
mod values;
