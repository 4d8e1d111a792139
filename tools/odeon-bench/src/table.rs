//! Tables for terminals and for Markdown pages.

use crate::html;

/// Rows of text below headings.
#[derive(Debug, Clone, Default)]
pub struct TextTable {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table without rows.
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Self {
        Self { headings: headings.into_iter().map(str::to_owned).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells stay empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.headings.len(), String::new());
        self.rows.push(cells);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// In aligned columns; columns of numbers are aligned to the right.
    pub fn to_text(&self) -> String {
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|column| self.lines().map(|line| width(&line[column])).max().unwrap_or(0))
            .collect();
        let numeric: Vec<bool> = (0..widths.len())
            .map(|column| self.rows.iter().all(|row| is_number(&row[column])))
            .collect();
        let mut text = String::new();
        for line in self.lines() {
            let mut cells = Vec::new();
            for (column, cell) in line.iter().enumerate() {
                let gap = " ".repeat(widths[column] - width(cell));
                cells.push(if numeric[column] { gap + cell } else { cell.clone() + &gap });
            }
            text += cells.join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// As a Markdown table.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", " --- |".repeat(self.headings.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.headings) + &rule + &rows
    }

    /// As a table of a page.
    pub(crate) fn to_html(&self) -> String {
        let headings: Vec<&str> = self.headings.iter().map(String::as_str).collect();
        html::table(&headings, self.rows.iter().cloned())
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.headings).chain(&self.rows)
    }
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

fn is_number(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || " .,x-".contains(c))
}

/// What is below a billionth is nothing.
const MOST_DECIMALS: i32 = 9;

/// A number with about three digits that mean something.
pub fn short(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 || size == 0.0 => 2,
        size => (2 - size.log10().floor() as i32).min(MOST_DECIMALS) as usize,
    };
    format!("{number:.decimals$}")
}

/// A factor, such as `2.0x`.
pub fn factor(number: f64) -> String {
    format!("{}x", short(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_and_markdown_escaped() {
        let mut table = TextTable::new(["what", "ns"]);
        table.row(["a|b".to_owned(), "12.5".to_owned()]);
        table.row(["long name".to_owned(), "3".to_owned()]);
        table.row(["short row".to_owned()]);
        assert_eq!(
            table.to_text(),
            "what         ns\na|b        12.5\nlong name     3\nshort row\n"
        );
        let markdown = table.to_markdown();
        assert!(
            markdown.starts_with("| what | ns |\n| --- | --- |\n| a\\|b | 12.5 |\n"),
            "{markdown}"
        );
    }

    #[test]
    fn numbers_are_short() {
        let shorts = [1234.5, 99.94, 5.129, 0.12345, 0.0].map(short);
        assert_eq!(shorts, ["1234", "99.9", "5.13", "0.123", "0.00"]);
        assert_eq!([0.0123, -0.000_45, 1e-12].map(short), ["0.0123", "-0.000450", "0.000000000"]);
        assert_eq!(factor(2.0), "2.00x");
    }
}
