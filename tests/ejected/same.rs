//! Ejected kernels beside generated ones: the bits of all results.

use tensor_op::backend::{Backend, Value};
use tensor_op::testing::sample::{Point, SamplePlan, backward_args, floats, sample};
use tensor_op::{DType, Op, Result, TensorData};

/// The name of a file, the op, and its twin.
pub(crate) type Case = (&'static str, &'static dyn Op, &'static dyn Op);

/// All results of two ops and of their gradients on a backend have the same bits.
pub(crate) fn same_bits<B: Backend>(
    [generated, by_hand]: [&dyn Op; 2],
    dtype: DType,
    size: usize,
) -> Result<()> {
    for [wanted, found] in of_both::<B>([generated, by_hand], dtype, size)? {
        assert_eq!(bits(&wanted), bits(&found), "{} in {dtype}", generated.spec().graph().name);
    }
    Ok(())
}

/// The results of two ops and of their gradients, which have the same shapes and dtypes.
pub(crate) fn of_both<B: Backend>(
    [generated, by_hand]: [&dyn Op; 2],
    dtype: DType,
    size: usize,
) -> Result<Vec<[TensorData; 2]>> {
    let graph = generated.spec().graph();
    let plan = SamplePlan::uniform(graph, size, &[2, size], 7);
    let args: Vec<Value<TensorData>> = sample(graph, &plan, Point::Ordinary)?;
    let args: Vec<_> = args.into_iter().map(|arg| arg.map(|data| stored(data, dtype))).collect();
    let (wanted, found) =
        (all_results::<B>(generated, &args, dtype)?, all_results::<B>(by_hand, &args, dtype)?);
    assert_eq!(wanted.len(), found.len());
    let both: Vec<_> = wanted.into_iter().zip(found).map(|(wanted, found)| [wanted, found]).collect();
    for [wanted, found] in &both {
        assert_eq!((wanted.shape(), wanted.dtype()), (found.shape(), found.dtype()), "{}", graph.name);
    }
    Ok(both)
}

/// The declared results of an op, and the results of its gradient.
fn all_results<B: Backend>(op: &dyn Op, args: &[Value<TensorData>], dtype: DType) -> Result<Vec<TensorData>> {
    let graph = op.spec().graph();
    let results = run::<B>(op, args)?;
    let gradients = results.iter().map(|result| floats(result.shape(), &[7]).map(Some));
    let gradients = gradients.collect::<Result<Vec<_>>>()?;
    let backward = op.backward().expect("it has one");
    let args = backward_args(graph, backward.spec().graph(), args, &results, &gradients, dtype);
    let declared = results.into_iter().zip(&graph.outputs).filter(|(_, output)| !output.hidden);
    Ok(declared.map(|(result, _)| result).chain(run::<B>(&*backward, &args)?).collect())
}

fn stored(data: TensorData, dtype: DType) -> TensorData {
    if data.dtype() == DType::F64 { data.cast(dtype) } else { data }
}

/// All results of an op, hidden ones too.
fn run<B: Backend>(op: &dyn Op, args: &[Value<TensorData>]) -> Result<Vec<TensorData>> {
    let device = Default::default();
    let args = args.iter().cloned().map(|arg| arg.try_map(|data| B::from_data(data, &device)));
    let args = args.collect::<Result<Vec<_>>>()?;
    let wanted = vec![true; op.spec().graph().outputs.len()];
    B::run(op, args, &wanted)?.into_iter().flatten().map(B::into_data).collect()
}

/// Elements as they are: NaN is equal to itself, and -0 is not 0.
fn bits(data: &TensorData) -> Vec<u64> {
    let data = if data.dtype() == DType::Bool { data.clone().cast(DType::I64) } else { data.clone() };
    let wide = data.cast(DType::F64);
    wide.to_vec::<f64>().expect("it is f64").into_iter().map(f64::to_bits).collect()
}
