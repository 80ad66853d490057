//! A page of HTML that needs nothing else: text, pictures, and generated code that opens at a click.

use crate::code::Code;
use crate::page::{Body, FormulaPage, Page};
use tensor_op_spec::picture::{Canvas, Place, escaped, spoken};
use tensor_op_spec::{Explained, Explanation};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#0f172a;\
background:#fff}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin-bottom:.3rem}\
pre{background:#f1f5f9;padding:.8rem;overflow-x:auto;font-size:.85rem;border-radius:6px}\
svg{max-width:100%;height:auto}summary{cursor:pointer;padding:.3rem 0}\
@media(prefers-color-scheme:dark){body{color:#e4e8ee;background:#14171c}pre{background:#1d2229}}";

/// The whole page.
pub(crate) fn file(page: &Page, op: &Explained, shown: &[&Explanation]) -> Result<String, String> {
    let title = escaped(&page.path);
    let formulas: String = page.formulas.iter().map(formula).collect();
    let mut code = String::new();
    for kind in Code::ALL {
        for listing in kind.listings(op, shown)? {
            let (title, text) = (escaped(&listing.title), escaped(&listing.text));
            code += &format!("<details><summary>{title}</summary><pre>{text}</pre></details>\n");
        }
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p>{}</p>\n<h2>Declaration</h2>\n<pre>{}</pre>\n{formulas}<h2>Generated code</h2>\n{code}</body></html>\n",
        escaped(&page.location),
        escaped(&page.source),
    ))
}

fn formula(own: &FormulaPage) -> String {
    let mut out = String::new();
    let level = if own.choice.is_empty() { "h2" } else { "h3" };
    if !own.choice.is_empty() {
        out += &format!("<h2>Where {}</h2>\n", escaped(&own.choice.replace('`', "")));
    }
    for section in &own.sections {
        let title = escaped(&section.title);
        out += &format!("<{level}>{title}</{level}>\n");
        out += &match &section.body {
            Body::Text(lines) if lines.iter().all(|line| !line.contains("  ")) => {
                lines.iter().map(|line| format!("<p>{}</p>\n", escaped(line))).collect::<String>()
            }
            Body::Text(lines) | Body::Code(lines) => format!("<pre>{}</pre>\n", escaped(&lines.join("\n"))),
            Body::Kernels(picture, graph) => {
                let mut canvas = Canvas::new(Place::Page);
                canvas.kernels(&picture.boxes, graph);
                let label = format!("{}: {}", section.title, spoken(&picture.boxes));
                format!("<figure>{}</figure>\n", canvas.finished(&label))
            }
        };
    }
    out
}
