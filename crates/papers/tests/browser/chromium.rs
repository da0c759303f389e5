//! A headless Chromium, spoken to over pipes: messages of the DevTools protocol, as JSON, each with a NUL behind it.

use serde_json::{Value, json};
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// How long the browser may think about one thing. Far more than it needs: machines are shared.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long it may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// Chromium reads commands at descriptor 3 and answers at descriptor 4; a shell puts our pipes there.
const SHELL: &str = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";

const FLAGS: [&str; 8] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
];

/// A browser, which ends when it is dropped.
pub(crate) struct Chromium {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    profile: PathBuf,
    next_id: u64,
    events: Vec<Value>,
}

/// One page of it.
pub(crate) struct Tab {
    target: Value,
    session: Value,
}

impl Chromium {
    /// Starts one. Where there is none, a test is skipped, aloud; not in continuous integration, where `CI` is set.
    pub(crate) fn start() -> Option<Self> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let found = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        match found {
            Ok(status) => assert!(status.success(), "chromium does not run"),
            Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
                // Not by a macro, whose words a test that passes keeps to itself.
                let _ = writeln!(io::stderr(), "\nskipped: there is no chromium here (apt-get install chromium)");
                return None;
            }
            Err(error) => panic!("chromium does not run, and continuous integration needs it: {error}"),
        }
        let name = format!("chromium-{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&profile).expect("a folder of our own");
        let mut command = Command::new("sh");
        command.args(["-c", SHELL, "chromium"]).args(FLAGS).arg(format!("--user-data-dir={}", profile.display()));
        // Its own settings, and nobody's.
        command.env("HOME", &profile).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("a shell");
        let commands = process.stdin.take().expect("a pipe");
        let answers = process.stdout.take().expect("a pipe");
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Some(Self { process, commands, messages, profile, next_id: 0, events: Vec::new() })
    }

    /// An empty page of this width, in this colour scheme.
    pub(crate) fn tab(&mut self, width: u32, dark: bool) -> Tab {
        let target = self.call(&Value::Null, "Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        let session = self.call(&Value::Null, "Target.attachToTarget", &attach)["sessionId"].clone();
        let tab = Tab { target, session };
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            self.ask(&tab, &format!("{domain}.enable"), &json!({}));
        }
        let window = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.ask(&tab, "Emulation.setDeviceMetricsOverride", &window);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.ask(&tab, "Emulation.setEmulatedMedia", &media);
        tab
    }

    /// Opens an address, and waits until all of it is there.
    pub(crate) fn open(&mut self, tab: &Tab, address: &str) {
        self.events.clear();
        let answer = self.ask(tab, "Page.navigate", &json!({"url": address}));
        assert!(answer.get("errorText").is_none(), "{address}: {answer}");
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.receive();
            self.events.push(message);
        }
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, tab: &Tab, expression: &str) -> Value {
        let answer = self.ask(tab, "Runtime.evaluate", &json!({"expression": expression, "returnByValue": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{answer}");
        answer["result"]["value"].clone()
    }

    /// Asks something of a page.
    pub(crate) fn ask(&mut self, tab: &Tab, method: &str, parameters: &Value) -> Value {
        self.call(&tab.session, method, parameters)
    }

    /// What has happened since the page was opened.
    pub(crate) fn events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    pub(crate) fn close(&mut self, tab: Tab) {
        self.call(&Value::Null, "Target.closeTarget", &json!({"targetId": tab.target}));
    }

    fn call(&mut self, session: &Value, method: &str, parameters: &Value) -> Value {
        let id = self.send(session, method, parameters).expect("the browser listens");
        loop {
            let message = self.receive();
            if message["id"] != id {
                self.events.push(message);
                continue;
            }
            assert!(message.get("error").is_none(), "{method}: {message}");
            return message["result"].clone();
        }
    }

    fn send(&mut self, session: &Value, method: &str, parameters: &Value) -> io::Result<u64> {
        self.next_id += 1;
        let mut message = json!({"id": self.next_id, "method": method, "params": parameters});
        if session.is_string() {
            message["sessionId"] = session.clone();
        }
        self.commands.write_all(message.to_string().as_bytes())?;
        self.commands.write_all(&[0])?;
        self.commands.flush()?;
        Ok(self.next_id)
    }

    fn receive(&self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("chromium says nothing for {} s: {error}", PATIENCE.as_secs()))
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It ends by itself, with its helpers, when asked to: its pipe is closed then. Whoever does not listen is killed.
        let asked = self.send(&Value::Null, "Browser.close", &json!({}));
        while asked.is_ok() && self.messages.recv_timeout(FAREWELL).is_ok() {}
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
