//! The bot's command.

fn main() {}
