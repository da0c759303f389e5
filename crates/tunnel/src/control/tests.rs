//! Those who ask, and those who listen, through sockets without a tunnel behind them.

use super::*;
use std::io::{BufRead as _, BufReader};
use std::sync::Mutex;

/// Nothing here takes as long.
const LONG: Duration = Duration::from_secs(30);

fn pair() -> [UnixStream; 2] {
    UnixStream::pair().expect("a pair of sockets").into()
}

/// What a piece of work on another thread results in, which it must in time.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    thread::spawn(move || done.send(work()).ok());
    result.recv_timeout(LONG).expect("it ends in time")
}

#[test]
fn who_listens_to_events_and_goes_gives_the_place_back_also_where_nothing_happens() {
    let taken = Arc::new(AtomicUsize::new(0));
    let [ours, theirs] = pair();
    let place = Place::take(&taken).expect("a place");
    let (_event, events) = sync_channel(1);
    drop(theirs);
    let ended = in_time(move || {
        let ended = follow(ours, &events);
        drop((place, events));
        ended.is_ok()
    });
    assert!(ended);
    assert_eq!(taken.load(Ordering::Relaxed), 0);
}

#[test]
fn the_tunnel_forgets_who_listened_and_has_gone_before_anything_happens() {
    let waker = Waker::new().expect("an eventfd");
    let (requests, asked) = channel();
    let [ours, mut theirs] = pair();
    theirs.write_all(b"events\n").expect("room");
    let (asking, listening) = (Arc::default(), Arc::default());
    let place = Place::take(&asking).expect("a place");
    let serving = thread::spawn(move || serve((ours, true), place, &listening, &requests, &waker).is_ok());
    let Ok(Request::Events(listener)) = asked.recv_timeout(LONG) else { panic!("it is not passed on") };
    assert!(listener.is_there());
    drop(theirs);
    assert!(in_time(move || serving.join().expect("no panic")));
    assert!(!listener.is_there());
}

#[test]
fn there_are_so_many_places_and_each_that_is_given_back_is_another_s() {
    let taken = Arc::default();
    let mut places: Vec<_> = (0..MOST).map(|_| Place::take(&taken).expect("a place")).collect();
    assert!(Place::take(&taken).is_none() && Place::take(&taken).is_none());
    places.pop();
    assert!(Place::take(&taken).is_some());
}

#[test]
fn who_reads_events_slowly_reads_whole_lines() {
    let [ours, theirs] = pair();
    // Whatever was set before: a line is never given up half written.
    ours.set_write_timeout(Some(Duration::from_millis(1))).expect("a socket");
    let (event, events) = sync_channel(1000);
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(5000));
    for _ in 0..1000 {
        event.try_send(line.clone()).expect("room");
    }
    drop(event);
    let (ended, telling) = channel();
    thread::spawn(move || ended.send(follow(ours, &events).is_ok()).ok());
    // Nobody reads, and it waits.
    assert_eq!(telling.recv_timeout(Duration::from_millis(100)), Err(RecvTimeoutError::Timeout));
    let lines = in_time(move || BufReader::new(theirs).lines().collect::<io::Result<Vec<_>>>()).expect("lines");
    assert_eq!(telling.recv_timeout(LONG), Ok(true));
    assert!(lines.len() == 1000 && lines.iter().all(|read| *read == line.trim_end()), "{} lines", lines.len());
}

#[test]
fn a_request_that_comes_in_drops_is_given_up_after_its_time() {
    let [mut ours, mut theirs] = pair();
    let (stop, stopped) = channel::<()>();
    let dripping = thread::spawn(move || {
        while stopped.recv_timeout(Duration::from_millis(10)) == Err(RecvTimeoutError::Timeout) {
            theirs.write_all(b"s").ok();
        }
    });
    let read = in_time(move || read_request(&mut ours, Span::from_milliseconds(100)));
    drop(stop);
    dripping.join().expect("no panic");
    assert!(matches!(read.map_err(|error| error.kind()), Err(ErrorKind::TimedOut | ErrorKind::WouldBlock)));
}

#[test]
fn a_request_without_an_end_is_given_up_at_its_longest() {
    let [mut ours, mut theirs] = pair();
    theirs.write_all(&[b's'; LONGEST_REQUEST]).expect("room");
    let read = in_time(move || read_request(&mut ours, PATIENCE));
    assert_eq!(read.map_err(|error| error.kind()), Err(ErrorKind::InvalidData));
    drop(theirs);
}

#[test]
fn a_connection_that_cannot_be_accepted_makes_a_pause_before_the_next_one() {
    let failed = || Err(io::Error::other("no descriptors left"));
    let [one, _other] = pair();
    let happened = Mutex::new(String::new());
    let note = |what: &str| happened.lock().expect("no panic").push_str(what);
    accept([failed(), failed(), Ok(one), failed()].into_iter(), || note("pause "), |_| note("client "));
    assert_eq!(*happened.lock().expect("no panic"), "pause pause client pause ");
}

/// A tunnel of this name that answers to whatever is asked.
fn answering(name: &str, answer: &'static str) {
    let waker = Arc::new(Waker::new().expect("an eventfd"));
    let asked = Control::bind(name).expect("a free name").serve(&waker).expect("a thread");
    thread::spawn(move || {
        for request in asked.1 {
            match request {
                Request::Flows { answer: sender, .. } => drop(sender.send(answer.to_owned())),
                Request::Status(sender) => drop(sender.send(status())),
                _ => {}
            }
        }
    });
}

/// Of a tunnel without peers.
fn status() -> Status {
    Status {
        interface: "good".to_owned(),
        public_key: "x".to_owned(),
        listens_at: "[::]:51820".to_owned(),
        running_s: 1.5,
        peers: Vec::new(),
        counters: CountersStatus::default(),
    }
}

fn name(test: &str) -> String {
    format!("test-{test}-{}", std::process::id())
}

#[test]
fn who_asks_gets_the_answer_and_an_error_is_told_apart() {
    let [good, bad] = [name("good"), name("bad")];
    answering(&good, "{\"interface\":\"good\"}\n");
    answering(&bad, "{\"error\":\"out of order\"}\n");
    let asked = |name: &str, request: &str| ask(name, request).and_then(Answers::only);
    assert_eq!(asked(&good, "flows").expect("an answer"), "{\"interface\":\"good\"}\n");
    let told = asked(&good, "status").expect("an answer");
    assert_eq!(serde_json::from_str::<Status>(&told).expect("a line of JSON"), status());
    assert!(matches!(asked(&bad, "flows"), Err(AskError::Refused { why, .. }) if why == "out of order"));
    assert!(
        matches!(asked(&good, "nonsense"), Err(AskError::Refused { why, .. }) if why.contains("expected `status`"))
    );
    assert!(matches!(asked("nobody-here", "status"), Err(AskError::NotRunning(_))));
    assert!(matches!(asked(&"n".repeat(300), "status"), Err(AskError::NotRunning(_))));
    let said = asked("home.toml", "status").expect_err("no such tunnel").to_string();
    assert!(said.contains("perhaps `home`"), "{said}");
}

#[test]
fn who_holds_the_name_of_a_tunnel_and_is_not_root_is_not_believed() {
    if own_user() != 0 {
        eprintln!("skipped: only root can be another user");
        return;
    }
    let name = name("stranger");
    let strangers = name.clone();
    let (bound, is_bound) = channel();
    let (stop, stopped) = channel::<()>();
    let stranger = thread::spawn(move || {
        arqway_net::confine(Some(arqway_net::User { id: 65_534, group: 65_534 })).expect("root may");
        let _control = Control::bind(&strangers).expect("a free name");
        bound.send(()).ok();
        stopped.recv().ok();
    });
    is_bound.recv_timeout(LONG).expect("it listens");
    let asked = ask(&name, "status");
    let bound = Control::bind(&name).expect_err("a name that is taken").to_string();
    drop(stop);
    stranger.join().expect("no panic");
    let process = std::process::id();
    assert!(bound.contains(&format!("held by process {process} (")) && bound.contains(" of user 65534, "), "{bound}");
    assert!(matches!(asked, Err(AskError::Stranger { user: 65_534, .. })), "{asked:?}");
}

#[test]
fn whoever_holds_the_name_of_a_tunnel_and_answers_nobody_holds_nobody_up() {
    let name = name("silent");
    let address = SocketAddr::from_abstract_name(socket_name(&name)).expect("a name");
    let listener = UnixListener::bind_addr(&address).expect("a free name");
    let mut waiting = Vec::new();
    // Until no more may wait to be accepted.
    while let Ok(stream) = arqway_net::connect_abstract(&socket_name(&name)) {
        waiting.push(stream);
    }
    assert!(matches!(ask(&name, "status"), Err(AskError::System { .. })));
    assert!(matches!(Control::bind(&name), Err(BindError::Silent { .. })));
    drop(waiting);
    drop(listener);
    assert!(Control::bind(&name).is_ok());
}
