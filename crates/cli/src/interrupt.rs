//! Ctrl-C. Until a command says that it can stop in good order, it ends at once; a second Ctrl-C always does.

#[cfg(feature = "lab")]
use crate::terminal::note;
#[cfg(feature = "lab")]
use arqway_lab::run::cancellation::Cancellation;
use std::process;
use std::sync::OnceLock;

/// The exit code after Ctrl-C.
pub(crate) const EXIT_CODE: u8 = 130;

#[cfg(feature = "lab")]
static STOP: Cancellation = Cancellation::new();
/// How the command stops, as it says it.
#[cfg(feature = "lab")]
static HOW: OnceLock<&str> = OnceLock::new();
/// What a command does instead, that has its own way to end.
static INSTEAD: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Watches for Ctrl-C from now on.
pub(crate) fn watch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| match INSTEAD.get() {
        Some(instead) => instead(),
        None if stops() => {}
        // Whoever presses Ctrl-C again does not want to wait.
        None => process::exit(i32::from(EXIT_CODE)),
    })
}

/// Whether the command stops in good order from now on.
#[cfg(feature = "lab")]
fn stops() -> bool {
    let Some(how) = HOW.get().filter(|_| !STOP.after_current_runs()) else { return false };
    note(how);
    true
}

#[cfg(not(feature = "lab"))]
fn stops() -> bool {
    false
}

/// From now on, this happens at each Ctrl-C.
pub(crate) fn instead(act: impl Fn() + Send + Sync + 'static) {
    INSTEAD.get_or_init(|| Box::new(act));
}

#[cfg(feature = "lab")]
/// From now on, Ctrl-C requests a stop, and says how it will come about.
pub(crate) fn stop(how: &'static str) -> &'static Cancellation {
    HOW.get_or_init(|| how);
    &STOP
}
