//! The backend does all that the suite asks for.

use tensor_op::Device;
use tensor_op::testing::run_backend_tests;

#[test]
fn mine_conforms() {
    custom_backend::register().expect("the name is free");
    let device = Device::new("mine").expect("it is registered");
    let report = run_backend_tests(&device);
    assert_eq!(report.passed, report.total, "{report}");
    assert!(report.total > 4000, "{} cases", report.total);
}
