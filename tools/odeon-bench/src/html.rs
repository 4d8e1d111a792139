//! The few elements of HTML that the page has.

/// Text as it may stand between tags and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// An element around text.
pub(crate) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escaped(text))
}

/// A table with headings.
pub(crate) fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cell: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|text| element(cell, text)).collect();
        format!("<tr>\n{cells}</tr>\n")
    };
    let headings: Vec<String> = headings.iter().map(|text| (*text).to_owned()).collect();
    let rows: String = rows.into_iter().map(|cells| line("td", &cells)).collect();
    format!("<table>\n{}{rows}</table>\n", line("th", &headings))
}

/// What a page of a quick run begins with.
pub(crate) const QUICK_RUN: &str = "<p><strong>A quick run with small parameters: it shows that \
    everything works, and compares nothing.</strong></p>\n";

/// What a paper says, each statement beside what was measured here. A quick run has nothing to set
/// beside it.
pub(crate) fn statements(
    who: &str,
    is_quick: bool,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let says = format!("{who} says");
    let beside = |mut row: Vec<String>| {
        row[1] = "a quick run: not compared".to_owned();
        row
    };
    let rows = rows.into_iter().map(|row| if is_quick { beside(row) } else { row });
    table(&[&says, "here"], rows)
}

/// A picture in a file beside the page.
pub(crate) fn picture(file: &str) -> String {
    let file = escaped(file);
    format!("<a href=\"{file}\"><img src=\"{file}\" alt=\"{file}\" width=\"480\"></a>\n")
}

/// A whole page.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\nbody {{ font-family: sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }}\n\
         table {{ border-collapse: collapse; }}\nth, td {{ border: 1px solid #aaa; padding: 0.3rem 0.6rem; \
         text-align: left; vertical-align: top; }}\n</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_sets_nothing_beside_a_statement() {
        let rows = || [vec!["faster".to_owned(), "3.1x".to_owned()]];
        let [full, quick] = [false, true].map(|quick| statements("the paper", quick, rows()));
        assert!(full.contains("the paper says") && full.contains("3.1x"), "{full}");
        assert!(quick.contains("faster") && !quick.contains("3.1x"), "{quick}");
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(element("p", "a<b & \"c\""), "<p>a&lt;b &amp; &quot;c&quot;</p>\n");
        let table = table(&["x"], [vec!["<".to_owned()]]);
        assert!(table.contains("<th>x</th>") && table.contains("<td>&lt;</td>"), "{table}");
    }
}
