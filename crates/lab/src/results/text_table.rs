//! Tables as text: columns as wide as their widest cell, two blanks apart.

/// On which side the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// The lines as text, each behind a margin; a line may have fewer cells than others.
#[must_use]
pub fn text_table(margin: &str, lines: &[Vec<String>], align: impl Fn(usize) -> Align) -> String {
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
    let mut text = String::new();
    for line in lines {
        let cell = |(column, cell): (usize, &String)| {
            let width = width(column).unwrap_or(0);
            match align(column) {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        };
        let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
        text.push_str(margin);
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_with_their_text() {
        let lines = [["scheme", "kbit/s"], ["SR 0.9", "52"]].map(|line| line.map(str::to_owned).to_vec());
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        assert_eq!(text_table(" ", &lines, align), " scheme  kbit/s\n SR 0.9      52\n");
        assert_eq!(text_table("", &[vec!["a".to_owned(), String::new()]], align), "a\n");
    }
}
