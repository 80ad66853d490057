//! Each form of the language, by ops that are declared here: what they compute, on every device of the build.

mod arguments;
mod associative;
mod axes;
mod choice;
mod delicate;
mod dims;
mod edges;
mod found;
mod functions;
mod inlining;
mod ints;
mod kinds;
mod lists;
mod made_dims;
mod methods;
mod names;
mod no_tensors;
mod operands;
mod parts;
mod sorts;
mod windows;
mod written;
