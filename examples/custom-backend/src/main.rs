//! Trains the digits of `examples/digits` on the backend, with the same model: `cargo run --release
//! --manifest-path examples/custom-backend/Cargo.toml`, and in bf16 with `-- bf16`.

#[path = "../../digits/convolution.rs"]
mod convolution;
#[path = "../../digits/data.rs"]
mod data;
#[path = "../../digits/model.rs"]
#[allow(dead_code, reason = "one of its networks is trained")]
mod model;
#[path = "../../digits/random.rs"]
mod random;
#[path = "../../digits/recurrent.rs"]
mod recurrent;
#[path = "../../digits/training.rs"]
mod training;

use model::Kind;
use tensor_op::{DType, Device};
use training::{EPOCHS, Training};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    custom_backend::register()?;
    let dtype = if std::env::args().any(|word| word == "bf16") { DType::BF16 } else { DType::F32 };
    let (train, test) = data::load(dtype, &Device::new("mine:0")?)?;
    let mut training = Training::new(Kind::Dense, &train)?;
    for epoch in 1..=EPOCHS {
        let losses = training.epoch()?;
        let loss = losses.iter().sum::<f64>() / losses.len() as f64;
        let accuracy = 100.0 * training.network.accuracy(&test)?;
        println!("epoch {epoch:2}   loss {loss:.4}   test accuracy {accuracy:.2}%");
    }
    Ok(())
}
