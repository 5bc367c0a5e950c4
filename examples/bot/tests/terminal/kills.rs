//! A bot that is repeatedly killed while it carries out a plan.

use std::fs;

use plan_machine_tests::dice::Dice;
use plan_machine_tests::soak::times;

use crate::pipe::Piped;
use crate::work::Work;

const STEPS: usize = 5;

const STATUS: &str = "/plan status";

/// A plan whose steps each append a line to a file.
fn script() -> String {
    let steps: Vec<String> = (1..=STEPS)
        .map(|step| format!("        - shell: {{ command: \"echo {step} >> steps\" }}\n"))
        .collect();
    [
        "- user: Plan it.\n  model:\n    - calls:\n",
        &steps.concat(),
        "        - plan_finalize: { summary: Count. }\n    - text: It is ready.\n",
        "- default:\n    - text: \"Yes.\"\n",
    ]
    .concat()
}

/// One plan, the bots that carry it out one after the other, and the person's answers to them.
struct Story {
    work: Work,
    dice: Dice,
    kills: usize,
    /// How many times a person asked for each step to run again.
    again: [usize; STEPS],
}

impl Story {
    /// Returns how many times each step has run.
    fn runs(&self) -> [usize; STEPS] {
        let steps = fs::read_to_string(self.work.path("workspace/steps")).unwrap_or_default();
        let mut runs = [0; STEPS];
        for line in steps.lines() {
            let step: usize = line.parse().expect("a step");
            runs[step - 1] += 1;
        }
        runs
    }

    fn bot(&self) -> Piped {
        Piped::start(&self.work, &["--plain", "--live"])
    }

    /// Kills a bot some time after it was asked to continue.
    fn kill(&mut self, mut bot: Piped, said: &str) {
        // A bot that is always killed after a fixed number of checks may never get anything done. Therefore, it is
        // sometimes killed only after it has carried out a step, so that the plan advances on a computer of any speed.
        if said != STATUS && self.dice.below(3) == 0 {
            while !is_report(&bot.line()) {}
        }
        let before: usize = self.runs().iter().sum();
        let until = (before + self.dice.below(3)).min(STEPS);
        // The number of checks is limited, because the plan can end or stop before so many steps have run. Each check
        // reads the file, which gives the bot time to work; on a busy computer, yielding the processor this often would
        // take minutes.
        let mut looks = 0;
        while self.runs().iter().sum::<usize>() < until && looks < 20_000 {
            looks += 1;
        }
        for _ in 0..self.dice.below(1000) {
            self.runs();
        }
        bot.kill();
        self.kills += 1;
    }

    /// Returns a person's answer to what a newly started bot says about the plan.
    fn answer(&mut self, bot: &mut Piped) -> Option<String> {
        bot.say(STATUS);
        loop {
            let line = bot.line();
            assert_ne!(line, "", "the bot said nothing about the plan");
            if let Some(step) = in_doubt(&line) {
                self.again[step - 1] += 1;
                return Some("/plan resume again".to_owned());
            }
            if line.contains("`/plan resume` continues the plan") {
                return Some("/plan resume".to_owned());
            }
            if line.contains("· Step ") || line.contains("is complete.") {
                return Some(STATUS.to_owned());
            }
            if let Some(approval) = offered(&line) {
                return Some(approval);
            }
            if line.contains("Plan mode is off") {
                return None;
            }
        }
    }
}

/// Returns whether a bot that was asked to continue has carried out a step, or has refused to.
fn is_report(line: &str) -> bool {
    let reports = ["· Step ", "is complete.", "`/plan resume again` runs"];
    line.is_empty() || reports.iter().any(|report| line.contains(report))
}

/// Returns the step that may have run, if the line says that it runs again only on request.
fn in_doubt(line: &str) -> Option<usize> {
    let asked = line.contains("`/plan resume again` runs");
    let step = asked.then(|| line.split("step ").nth(1))??;
    let digits = step.split(|other: char| !other.is_ascii_digit()).next()?;
    Some(digits.parse().expect("a number"))
}

/// Returns the command on a card that approves the plan as it is shown.
fn offered(line: &str) -> Option<String> {
    let from = line.find("/plan approve plan-1 ")?;
    Some(line[from..].trim().to_owned())
}

/// Starts bots that carry out a plan, and kills them repeatedly; returns the number of kills.
fn carried_out(seed: u64) -> usize {
    let mut story = Story {
        work: Work::by(&script()),
        dice: Dice::new(seed),
        kills: 0,
        again: [0; STEPS],
    };
    let mut bot = story.bot();
    for line in ["/mode plan_mode", "/plan on", "Plan it."] {
        bot.say(line);
    }
    let card = bot.line_with("/plan approve plan-1 ");
    let mut line = offered(&card).expect("a command");
    loop {
        bot.say(&line);
        story.kill(bot, &line);
        bot = story.bot();
        match story.answer(&mut bot) {
            Some(answer) => line = answer,
            None => break,
        }
    }
    for (runs, again) in story.runs().into_iter().zip(story.again) {
        assert!(runs > 0, "a step was lost: {:?}", story.runs());
        assert!(
            runs <= 1 + again,
            "a step ran again although no person asked for it: {:?}, {:?}",
            story.runs(),
            story.again
        );
    }
    story.kills
}

#[test]
fn a_bot_that_is_killed_again_and_again_neither_loses_nor_repeats_a_step() {
    let mut kills = 0;
    let plans = times(4);
    for seed in (1..).take(plans) {
        kills += carried_out(seed);
    }
    assert!(kills >= plans);
    println!("{kills} kills of a bot, {plans} plans carried out: no step lost, none repeated");
}
