//! Lists what this build and this machine offer: `cargo run --example devices --features wgpu`.

use tensor_op::{DType, Device, Result, registered_backends};

#[allow(clippy::print_stdout, reason = "it is what the program is for")]
fn main() -> Result<()> {
    for backend in registered_backends() {
        let devices: Vec<Device> =
            Device::all().into_iter().filter(|device| device.backend() == backend).collect();
        println!("{backend}: {} devices", devices.len());
        for device in devices {
            // A device that is listed may not work.
            match Device::new(&device.name()) {
                Ok(device) => println!("  {device}: {}", dtypes(&device)),
                Err(error) => println!("  {device}: {error}"),
            }
        }
    }
    println!("TENSOR_OP_DEVICE: {}", Device::from_env()?);
    Ok(())
}

/// The dtypes that the device has, with a star if it multiplies matrices of them with units of its own.
fn dtypes(device: &Device) -> String {
    let has = |dtype: &DType| device.supports_dtype(*dtype);
    let star = |dtype: DType| if device.dtype_usage(dtype).accelerated { "*" } else { "" };
    let names = DType::ALL.into_iter().filter(has).map(|dtype| format!("{dtype}{}", star(dtype)));
    names.collect::<Vec<_>>().join(" ")
}
