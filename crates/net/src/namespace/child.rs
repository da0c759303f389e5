//! A command inside a namespace.

use super::{Namespace, enter};
use crate::error::NetError;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, pidfd_open, pidfd_send_signal, set_parent_process_death_signal,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A command that runs inside a namespace, and dies with the process that started it.
///
/// Its descriptor ([`AsFd`], a pidfd: pidfd_open(2)) can be read once the command has ended, so that a
/// [`Wait`](crate::Wait) notices. Dropping this leaves the command running; removing its namespace ends it.
#[derive(Debug)]
pub struct Child {
    /// The way to its standard input, where the command was given one.
    pub stdin: Option<ChildStdin>,
    /// The way from its standard output, likewise.
    pub stdout: Option<ChildStdout>,
    /// The way from its standard error, likewise.
    pub stderr: Option<ChildStderr>,
    process: Pid,
    descriptor: OwnedFd,
    /// Lives as long as the command, and has its status in the end.
    thread: JoinHandle<io::Result<ExitStatus>>,
}

/// A child before it has a thread: what the thread hands over.
type Started = (std::process::Child, OwnedFd);

impl Namespace {
    /// Starts a command inside the namespace.
    ///
    /// It is killed when this process ends, however that comes about (`PR_SET_PDEATHSIG`, prctl(2)); what it has started
    /// itself is not. The signal comes when the *thread* that started the command ends, so it gets one that waits for it.
    ///
    /// # Errors
    /// There is no such command, or the process may not enter the namespace.
    pub fn spawn(&self, mut command: Command) -> Result<Child, NetError> {
        let failed = |program: String, error| NetError::system(format!("start `{program}`"), error);
        let program = command.get_program().to_string_lossy().into_owned();
        die_with_us(&mut command);
        let namespace = self.descriptor.try_clone().map_err(|error| failed(program.clone(), error))?;
        let (hand_over, handed_over) = sync_channel(1);
        let (go, gone_on) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("child".to_owned())
            .spawn(move || live_with(&namespace, command, &hand_over, &gone_on))
            .map_err(|error| failed(program.clone(), error))?;
        let no_thread = || io::Error::other("its thread ended");
        let started = handed_over.recv().map_err(|_| failed(program.clone(), no_thread()))?;
        let (mut child, descriptor) = started.map_err(|error| failed(program.clone(), error))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Pid::from_child(&child);
        go.send(child).map_err(|_| failed(program, no_thread()))?;
        Ok(Child { stdin, stdout, stderr, process, descriptor, thread })
    }
}

impl Child {
    /// The number of its process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process.as_raw_nonzero().get().unsigned_abs()
    }

    /// Asks it to end (`SIGTERM`). One that has ended already need not.
    pub fn terminate(&self) {
        let _ = pidfd_send_signal(&self.descriptor, Signal::TERM);
    }

    /// Ends it (`SIGKILL`).
    pub fn kill(&self) {
        let _ = pidfd_send_signal(&self.descriptor, Signal::KILL);
    }

    /// Waits until it has ended, and says how. Its standard input is closed first, so that it does not wait for us.
    ///
    /// # Errors
    /// The system does not let us wait for it.
    pub fn wait(mut self) -> Result<ExitStatus, NetError> {
        drop(self.stdin.take());
        // The thread only waits: a panic there would be a fault of ours, and goes on here.
        let ended = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        ended.map_err(|error| NetError::system(format!("wait for process {}", self.process), error))
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// What the thread of a command does: enter, start, hand over, wait.
fn live_with(
    namespace: &OwnedFd,
    mut command: Command,
    hand_over: &SyncSender<io::Result<Started>>,
    gone_on: &Receiver<std::process::Child>,
) -> io::Result<ExitStatus> {
    let mut start = || -> io::Result<Started> {
        enter(namespace.as_fd()).map_err(io::Error::other)?;
        let child = command.spawn()?;
        let descriptor = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        Ok((child, descriptor))
    };
    let _ = hand_over.send(start());
    gone_on.recv().map_err(io::Error::other)?.wait()
}

/// Lets a command die when the thread that starts it does.
fn die_with_us(command: &mut Command) {
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Where the parent died before this, nobody will send the signal.
        if getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
    };
    // SAFETY: between fork and exec this makes two system calls; it takes no lock and allocates nothing.
    #[expect(unsafe_code, reason = "the signal can only be asked for in the child, between fork and exec")]
    let _ = unsafe { command.pre_exec(ask) };
}
