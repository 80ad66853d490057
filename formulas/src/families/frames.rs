//! The dims, arguments and statistics of each family; the rest is random.

use super::Family;
use super::case::{Case, Content};
use super::glue::{Price, apply, mix, normalized, statistic};
use super::value::Value;
use crate::random::Random;

/// A formula of the family; `index` chooses among the family's frames.
pub(super) fn case(family: Family, index: usize, random: &mut Random) -> Case {
    match family {
        Family::Cheap => pointwise(family, index, random, Price::Cheap),
        Family::Dear => pointwise(family, index, random, Price::Dear),
        Family::Rows => rows(index, random),
        Family::Columns => columns(index, random),
        Family::Both => both(index, random),
        Family::Results => results(index, random),
        Family::Broadcasts => broadcasts(index, random),
        Family::Small => small(index, random),
        Family::Kinds => kinds(index, random),
        Family::Gathers => gathers(index, random),
        Family::Lengths => lengths(index, random),
        Family::Arguments => arguments(index, random),
    }
}

/// Half of the formulas also have dear functions.
fn price(index: usize) -> Price {
    if index.is_multiple_of(2) { Price::Cheap } else { Price::Dear }
}

fn finish(mut case: Case, result: Value) -> Case {
    case.results.push(result);
    case
}

fn pointwise(family: Family, index: usize, random: &mut Random, price: Price) -> Case {
    let mut case = Case::new(family, index, &["m", "n"], &[&[0, 1024], &[0, 1000]]);
    let args: Vec<Value> = (0..1 + index % 3).map(|_| case.float("m n")).collect();
    let functions = 1 + random.below(3);
    let result = mix(&mut case, random, &args, functions, price);
    finish(case, result)
}

fn rows(index: usize, random: &mut Random) -> Case {
    let mut case = Case::new(Family::Rows, index, &["m", "n"], &[&[0, 1024], &[0, 4096], &[0, 300]]);
    let mut args = vec![case.float("m n")];
    if index >= 3 {
        args.push(case.float("m n"));
    }
    let over = case.dims("n");
    let value = mix(&mut case, random, &args, 1, price(index));
    let mut result = normalized(&mut case, random, &value, over);
    if index % 3 == 1 {
        let weights = [result, case.float("n")];
        result = mix(&mut case, random, &weights, 0, Price::Cheap);
    } else if index % 3 == 2 {
        result = statistic(&mut case, random, &result, over);
    }
    finish(case, result)
}

fn columns(index: usize, random: &mut Random) -> Case {
    // The dims of batch, instance, channel and group statistics, and of plain columns.
    let (frame, over, sizes): (&[&'static str], _, &[&[usize]]) = match index {
        0 => (&["m", "n"], "m", &[&[0, 1024], &[0, 64]]),
        1 => (&["b", "c", "h", "w"], "b h w", &[&[0, 64, 56, 56], &[0, 256, 14, 14]]),
        2 => (&["b", "c", "h", "w"], "h w", &[&[0, 64, 32, 32], &[0, 256, 14, 14]]),
        3 => (&["b", "c", "h", "w"], "c", &[&[0, 64, 32, 32], &[0, 10, 64, 64]]),
        4 => (&["b", "g", "c", "h"], "c h", &[&[0, 32, 8, 256], &[0, 8, 32, 1024]]),
        _ => (&["b", "t", "d"], "t", &[&[0, 128, 512], &[0, 2048, 64]]),
    };
    let mut case = Case::new(Family::Columns, index, frame, sizes);
    let x = case.float(&frame.join(" "));
    let over = case.dims(over);
    let value = apply(&mut case, random, &x, price(index));
    let mut result = normalized(&mut case, random, &value, over);
    if index == 1 || index == 2 {
        let channels = [result, case.float("c"), case.float("c")];
        result = mix(&mut case, random, &channels, 0, Price::Cheap);
    }
    finish(case, result)
}

fn both(index: usize, random: &mut Random) -> Case {
    let mut case = Case::new(Family::Both, index, &["b", "m", "n"], &[&[0, 256, 256], &[0, 32, 1024]]);
    let x = case.float("b m n");
    let (first, second) = if index.is_multiple_of(2) { ("m", "n") } else { ("n", "m") };
    let (first, second) = (case.dims(first), case.dims(second));
    let value = apply(&mut case, random, &x, price(index));
    let value = normalized(&mut case, random, &value, first);
    let result = match index % 3 {
        0 => normalized(&mut case, random, &value, second),
        1 => statistic(&mut case, random, &value, second),
        _ => {
            let other = normalized(&mut case, random, &x, second);
            mix(&mut case, random, &[value, other], 0, Price::Cheap)
        }
    };
    finish(case, result)
}

fn results(index: usize, random: &mut Random) -> Case {
    let mut case = Case::new(Family::Results, index, &["m", "n"], &[&[0, 1024], &[0, 256]]);
    let args = [case.float("m n"), case.float("m n")];
    let shared = mix(&mut case, random, &args, 1, price(index));
    let over = case.dims(if index % 3 == 2 { "m" } else { "n" });
    let first = apply(&mut case, random, &shared, price(index));
    let second = match index % 3 {
        0 => mix(&mut case, random, &[shared, args[0].clone()], 1, Price::Cheap),
        _ => statistic(&mut case, random, &shared, over),
    };
    case.results = vec![first, second];
    if index >= 3 {
        let third = normalized(&mut case, random, &args[1], over);
        case.results.push(third);
    }
    case
}

fn broadcasts(index: usize, random: &mut Random) -> Case {
    let sizes: &[&[usize]] = &[&[0, 64, 512], &[0, 512, 64]];
    let mut case = Case::new(Family::Broadcasts, index, &["b", "c", "h"], sizes);
    let sides: &[&str] = match index {
        0 => &["h"],
        1 => &["b"],
        2 => &["c", "h"],
        3 => &["b c", "h"],
        4 => &["b h"],
        _ => &["b c", "c h"],
    };
    let mut args = vec![case.float("b c h")];
    for side in sides {
        args.push(case.float(side));
    }
    let result = mix(&mut case, random, &args, 1, price(index));
    finish(case, result)
}

fn small(index: usize, random: &mut Random) -> Case {
    let (frame, over, sizes): (&[&'static str], _, &[&[usize]]) = match index % 3 {
        0 => (&["m", "d"], "d", &[&[0, 3], &[0, 4]]),
        1 => (&["m", "d"], "d", &[&[0, 8], &[0, 6]]),
        _ => (&["m", "c", "k"], "c", &[&[0, 16, 4], &[0, 64, 2]]),
    };
    let mut case = Case::new(Family::Small, index, frame, sizes);
    let all = frame.join(" ");
    let mut args = vec![case.float(&all)];
    if index >= 3 {
        args.push(case.float(&all));
    }
    let over = case.dims(over);
    let value = mix(&mut case, random, &args, 1, price(index));
    let result = match index {
        0 | 4 => statistic(&mut case, random, &value, over),
        _ => normalized(&mut case, random, &value, over),
    };
    finish(case, result)
}

fn kinds(index: usize, random: &mut Random) -> Case {
    let mut case = Case::new(Family::Kinds, index, &["m", "n"], &[&[0, 1024], &[0, 200]]);
    let x = case.float("m n");
    let over = case.dims("n");
    let side = if index >= 3 { "n" } else { "m n" };
    let kept = match index % 3 {
        0 => case.arg(Content::Bool, side),
        1 => {
            let ids = case.arg(Content::Below(7), side);
            ids.one("(# % 3 == 0)", "(# % 3 == 0)")
        }
        _ => {
            let ids = case.arg(Content::Below(7), side);
            let other = case.arg(Content::Below(7), "m");
            ids.two(&other, "(# <= @)", "(# <= @)")
        }
    };
    let value = apply(&mut case, random, &x, price(index));
    let chosen = case.named(kept.two(&value, "select(#, @, -0.25)", "torch.where(#, @, -0.25)"));
    let result = match index {
        0 | 5 => apply(&mut case, random, &chosen, Price::Dear),
        1 | 3 => normalized(&mut case, random, &chosen, over),
        _ => statistic(&mut case, random, &chosen, over),
    };
    finish(case, result)
}

fn gathers(index: usize, random: &mut Random) -> Case {
    let rows = random.pick(&[1000, 50_000]);
    let mut case = Case::new(Family::Gathers, index, &["m", "d"], &[&[0, 64], &[0, 512]]);
    let over = case.dims("d");
    let ids = case.arg(Content::Below(rows), "m");
    let row = case.rows_of_table(rows, "d", &ids);
    let mut values = vec![row];
    if index % 2 == 1 {
        values.push(case.float("m d"));
    }
    if index >= 4 {
        let ids = case.arg(Content::Below(300), "m");
        values.push(case.rows_of_table(300, "d", &ids));
    }
    let value = mix(&mut case, random, &values, 1, price(index));
    let result = match index % 3 {
        0 => value,
        1 => normalized(&mut case, random, &value, over),
        _ => statistic(&mut case, random, &value, over),
    };
    finish(case, result)
}

fn lengths(index: usize, random: &mut Random) -> Case {
    let sizes: &[&[usize]] = match index % 3 {
        0 => &[&[0, 16], &[0, 32]],
        1 => &[&[0, 65_536], &[0, 100_000]],
        _ => &[&[1, 0], &[4, 0]],
    };
    let mut case = Case::new(Family::Lengths, index, &["m", "n"], sizes);
    let x = case.float("m n");
    let over = case.dims("n");
    let value = apply(&mut case, random, &x, price(index));
    let result = match index {
        0 | 4 | 5 => normalized(&mut case, random, &value, over),
        _ => statistic(&mut case, random, &value, over),
    };
    finish(case, result)
}

fn arguments(index: usize, random: &mut Random) -> Case {
    let mut case = Case::new(Family::Arguments, index, &["m", "n"], &[&[0, 1024], &[0, 128]]);
    let mut args: Vec<Value> = (0..4 + index % 3).map(|_| case.float("m n")).collect();
    if index % 2 == 1 {
        args.extend([case.float("n"), case.float("m")]);
    }
    let value = mix(&mut case, random, &args, 2, price(index));
    let over = case.dims("n");
    let result = if index >= 4 { normalized(&mut case, random, &value, over) } else { value };
    finish(case, result)
}
