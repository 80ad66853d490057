//! The catalogue: its list is complete, its ops have the values of their definitions, also at edges, and the
//! page of what works on which backend has each of them.

mod attention;
mod bags;
mod check;
mod edges;
mod images;
mod list;
mod norms;
mod numbers;
mod options;
#[path = "../support/page.rs"]
mod page;
mod pools;
#[path = "../support/record.rs"]
mod record;
mod recurrent;
mod values;
mod written;
