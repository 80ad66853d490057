//! The rules of `optim` that divide by averages or extremes, five steps each, against PyTorch 2.15 in f64.
//! Lamb, which PyTorch lacks, is against its paper's formulas in f64.

use super::after;
use tensor_op::optim::{Adadelta, Adagrad, Adam, AdamW, Adamax, Lamb, NAdam, RAdam, RmsProp};

#[test]
fn rmsprop_with_momentum() {
    let wanted = [-1.91068193096, -1.6173734437, 5.38103486573, -2.12802615328, -4.33153429374, -1.511711716];
    after(5, RmsProp { lr: 0.1, momentum: 0.9, weight_decay: 0.1, ..RmsProp::default() }, &[2, 3], wanted);
}

#[test]
fn rmsprop_centered() {
    let wanted =
        [-1.69038106175, -1.85302473359, 4.70820970834, -1.52138007292, -1.54188925167, -1.86685839558];
    after(5, RmsProp { lr: 0.1, centered: true, ..RmsProp::default() }, &[2, 3], wanted);
}

#[test]
fn rmsprop_centered_with_momentum() {
    let wanted =
        [-1.27078225978, -1.53105937463, 4.24450205544, -1.30485517407, -1.58599593202, -1.52383361725];
    after(
        5,
        RmsProp { lr: 0.1, centered: true, momentum: 0.5, weight_decay: 0.1, ..RmsProp::default() },
        &[2, 3],
        wanted,
    );
}

#[test]
fn adadelta() {
    let wanted =
        [0.261535394674, -1.23878806699, 2.27656870072, 0.00756704095108, 1.24380192195, -0.985947383225];
    after(5, Adadelta { lr: 10.0, weight_decay: 0.1, ..Adadelta::default() }, &[2, 3], wanted);
}

#[test]
fn adamax() {
    let wanted =
        [0.121186012812, -1.40497150574, 2.33057825412, -0.125094647666, 1.15404063267, -1.14645191003];
    after(5, Adamax { lr: 0.1, weight_decay: 0.1, ..Adamax::default() }, &[2, 3], wanted);
}

#[test]
fn nadam() {
    // PyTorch keeps the product of momentums in its default dtype, which is f64 here.
    let wanted =
        [0.00250209104887, -1.44965368516, 2.53388913854, -0.24890489524, 0.966727581797, -1.22386541477];
    after(5, NAdam { lr: 0.1, weight_decay: 0.1, ..NAdam::default() }, &[2, 3], wanted);
}

#[test]
fn radam() {
    let wanted =
        [0.240551577822, -1.20795878649, 2.2576357926, -0.771752832686, 1.26125438717, -1.54681896608];
    after(5, RAdam { lr: 0.1, weight_decay: 0.1, ..RAdam::default() }, &[2, 3], wanted);
}

#[test]
fn radam_of_short_memory() {
    let wanted =
        [0.264513027897, -1.25150164304, 2.38467080604, -0.767158040217, 1.37409534001, -1.57417532022];
    after(5, RAdam { lr: 0.1, betas: (0.9, 0.9), ..RAdam::default() }, &[2, 3], wanted);
}

#[test]
fn adam_with_amsgrad() {
    let wanted =
        [0.0751831540506, -1.44715801828, 2.38030908975, -0.171806839596, 1.10513223449, -1.18944800851];
    after(
        5,
        Adam { lr: 0.1, betas: (0.9, 0.5), weight_decay: 0.1, amsgrad: true, ..Adam::default() },
        &[2, 3],
        wanted,
    );
}

#[test]
fn adam_maximizes() {
    let wanted =
        [0.986979353939, -0.516929497701, 1.50670098891, 0.737887553928, 1.60750855473, -0.268684883082];
    after(5, Adam { lr: 0.1, weight_decay: 0.1, maximize: true, ..Adam::default() }, &[2, 3], wanted);
}

#[test]
fn adamw_with_amsgrad() {
    let wanted =
        [0.0811094731817, -1.45270562076, 2.39295189265, -0.171086720596, 1.12040980327, -1.18629177219];
    after(5, AdamW { lr: 0.1, betas: (0.9, 0.5), amsgrad: true, ..AdamW::default() }, &[2, 3], wanted);
}

#[test]
fn adamw_maximizes() {
    let wanted =
        [0.929523430011, -0.58804532041, 1.53252692277, 0.675789613132, 1.56269082162, -0.333860211582];
    after(
        5,
        AdamW { lr: 0.1, betas: (0.9, 0.5), amsgrad: true, maximize: true, ..AdamW::default() },
        &[2, 3],
        wanted,
    );
}

#[test]
fn adagrad_whose_rate_falls() {
    let wanted =
        [0.246998202652, -1.24251789049, 2.25756600711, -0.00194506002829, 1.23221964456, -0.996458608163];
    after(5, Adagrad { lr: 0.1, lr_decay: 0.5, ..Adagrad::default() }, &[2, 3], wanted);
}

#[test]
fn lamb() {
    let wanted =
        [-0.13487490682, -1.6357225021, 2.60351567343, -0.386655430169, 0.911346220506, -1.39361533103];
    after(5, Lamb { lr: 0.1, ..Lamb::default() }, &[2, 3], wanted);
}
