//! What a backend must do: every structural primitive and a set of declared ops, over dtypes and shapes.
