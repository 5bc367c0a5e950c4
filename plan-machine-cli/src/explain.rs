//! `plan-machine explain`: the pages that explain the rules.

use plan_machine_compiler::diagnostic::{Code, Severity};

use crate::output::{ASIDE, BAD, Exit, Failure, Out, WARN, did_you_mean, styled};

/// Explain a diagnostic code, with an example and its fix.
///
/// Without a code, lists all codes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine explain PM0402")]
pub(crate) struct Args {
    /// A code, such as PM0402.
    code: Option<String>,
}

/// Defines `page`, whose `match` has an arm for every code: a rule without a page does not compile.
macro_rules! pages {
    ($($code:ident)*) => {
        fn page(code: Code) -> &'static str {
            match code {
                $(Code::$code => include_str!(concat!("../rules/", stringify!($code), ".md")),)*
            }
        }
    };
}

pages! {
    PM0101 PM0102 PM0103 PM0104 PM0105 PM0106 PM0107
    PM0201 PM0202 PM0203 PM0204 PM0205 PM0206 PM0207 PM0208 PM0209
    PM0301 PM0302 PM0303 PM0304 PM0305 PM0306 PM0307 PM0308
    PM0401 PM0402 PM0403 PM0404 PM0405 PM0406 PM0407 PM0408 PM0409
    PM0501 PM0502 PM0503 PM0504 PM0505 PM0506 PM0507 PM0508 PM0509 PM0510 PM0511 PM0512
    PM0601 PM0602 PM0603 PM0604 PM0605
    PM0701 PM0702 PM0703
    PM0801 PM0802 PM0803
    PM0901 PM0902 PM0903
    PM1001 PM1002 PM1003 PM1004 PM1005 PM1006 PM1007
    PM1101 PM1102 PM1103 PM1104 PM1105
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let Some(wanted) = &args.code else {
        return list();
    };
    let code: Code = wanted.parse().map_err(|()| {
        let near = did_you_mean(wanted, Code::ALL.iter().map(|code| code.as_str()));
        Failure::usage(format!("unknown code `{wanted}`{near}"))
            .help("`plan-machine explain` without a code lists all codes")
    })?;
    Out::plain().text(page(code))?;
    Ok(Exit::Fine)
}

fn list() -> Result<Exit, Failure> {
    let mut out = Out::coloured();
    for code in Code::ALL {
        let style = match code.severity() {
            Severity::Error => BAD,
            Severity::Warning => WARN,
            Severity::Note => ASIDE,
        };
        let severity = styled(style, format_args!("{:<7}", code.severity().as_str()));
        out.line(format_args!("{code}  {severity}  {}", code.sentence()))?;
    }
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_about_its_code_and_names_its_severity() {
        for code in Code::ALL {
            let mut lines = page(*code).lines();
            let title = lines.next().unwrap_or_default();
            assert!(title.starts_with(&format!("# {code}: ")), "{title}");
            let severity = lines.find(|line| !line.is_empty());
            assert_eq!(severity, Some(code.severity().as_str()), "{code}");
        }
    }
}
