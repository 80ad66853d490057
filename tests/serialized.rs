//! Data of tensors that is written by serde and read again.

use tensor_op::{DType, Device, Element, Result, Tensor, TensorData};

fn again<T: Element>(elements: Vec<T>) {
    let data = TensorData::new(elements, [2, 1]).expect("two elements");
    let text = serde_json::to_string(&data).expect("data can be written");
    let read: TensorData = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(read, data, "{text}");
}

#[test]
fn each_dtype_comes_back() {
    again(vec![0.1f64, -1e300]);
    again(vec![0.1f32, f32::MIN_POSITIVE]);
    again(vec![half::f16::from_f32(0.1), half::f16::MAX]);
    again(vec![half::bf16::from_f32(0.1), half::bf16::MIN]);
    again(vec![i64::MIN, i64::MAX]);
    again(vec![i32::MIN, 7]);
    again(vec![u32::MAX, 0]);
    again(vec![255u8, 0]);
    again(vec![true, false]);
}

#[test]
fn floats_that_are_no_numbers_come_back() -> Result<()> {
    fn bits<T: Element>(elements: [T; 3], wanted: &str) -> Result<()> {
        let data = TensorData::new(elements.to_vec(), [3])?;
        let text = serde_json::to_string(&data).expect("data can be written");
        assert!(text.contains(wanted), "{text}");
        let read: TensorData = serde_json::from_str(&text).expect("what was written can be read");
        let found = read.into_vec::<T>()?;
        assert!(found[0].to_f64().is_nan());
        assert_eq!(found[1..], elements[1..]);
        Ok(())
    }
    bits([f64::NAN, f64::INFINITY, -1.5], r#"{"f64":["NaN","inf",-1.5]}"#)?;
    bits([f32::NAN, f32::NEG_INFINITY, 0.1], r#"{"f32":["NaN","-inf",0.1]}"#)?;
    bits([half::f16::NAN, half::f16::INFINITY, half::f16::ONE], r#""f16":["#)?;
    let ints: TensorData = serde_json::from_str(r#"{"shape":[2],"elements":{"f32":[1,-2]}}"#).expect("ints");
    assert_eq!(ints.into_vec::<f32>()?, [1.0, -2.0]);
    Ok(())
}

#[test]
fn the_text_names_shape_and_dtype() -> Result<()> {
    let data = Tensor::from([[1f32, 2.5]]).to_data()?;
    let text = serde_json::to_string(&data).expect("data can be written");
    assert_eq!(text, r#"{"shape":[1,2],"elements":{"f32":[1.0,2.5]}}"#);
    let data: TensorData =
        serde_json::from_str(r#"{"shape":[],"elements":{"bool":[true]}}"#).expect("a scalar");
    let tensor = Tensor::from_data(data, &Device::default())?;
    assert_eq!((tensor.dtype(), tensor.item::<bool>()?), (DType::Bool, true));
    Ok(())
}

#[test]
fn wrong_data_is_refused() {
    let wrong = [
        (r#"{"shape":[3],"elements":{"f32":[1.0]}}"#, "shape [3] has 3 elements, but 1 were given"),
        (r#"{"shape":[1],"elements":{"f8":[1.0]}}"#, "unknown variant `f8`"),
        (r#"{"shape":[1],"elements":{"u8":[256]}}"#, "expected u8"),
        (r#"{"shape":[1],"elements":{"f32":[null]}}"#, r#"expected f32, or "NaN", "inf" or "-inf""#),
        (r#"{"shape":[1],"elements":{"f32":["1"]}}"#, r#"expected f32, or "NaN", "inf" or "-inf""#),
        (r#"{"shape":[1],"elements":{"u8":[1]},"dtype":"u8"}"#, "unknown field `dtype`"),
        (r#"{"shape":[18446744073709551615,2],"elements":{"u8":[]}}"#, "more elements than fit"),
    ];
    for (text, message) in wrong {
        let error = serde_json::from_str::<TensorData>(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}
