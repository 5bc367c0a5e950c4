//! The styles of the terminal.
//!
//! Styles such as bold are applied even if colors are off, because the marks of Markdown are not shown. Only the colors
//! are omitted.

use console::{Color, Style, colors_enabled};

/// Returns the style of plain text.
pub(super) fn plain() -> Style {
    Style::new().force_styling(true)
}

/// Returns the style of text in a bright color. Colors are off if `NO_COLOR` is set, or if standard output is not a
/// terminal.
pub(super) fn colored(color: Color) -> Style {
    if colors_enabled() {
        plain().fg(color).bright()
    } else {
        plain()
    }
}

/// Returns the style of headings.
pub(super) fn heading() -> Style {
    colored(Color::Cyan).bold().underlined()
}

/// Returns the style of inline code: light gray on dark gray.
pub(super) fn code() -> Style {
    if colors_enabled() {
        plain().color256(249).on_color256(235)
    } else {
        plain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colors_text_still_has_other_styles() {
        console::set_colors_enabled(false);
        let bold = colored(Color::Red).bold().apply_to("a").to_string();
        assert_eq!(bold, "\u{1b}[1ma\u{1b}[0m");
        assert_eq!(code().apply_to("a").to_string(), "a");
    }
}
