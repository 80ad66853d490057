//! The text of a graph, which a runtime parses: an error, or a graph whose text is read back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_op_spec::ir::Graph;

fuzz_target!(|text: &str| {
    let Ok(graph) = Graph::parse(text) else { return };
    let again = Graph::parse(&graph.to_string()).expect("what was printed parses");
    assert_eq!(again, graph);
});
