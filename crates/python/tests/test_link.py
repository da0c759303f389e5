"""Services frame by frame: those that are built in, those written in Python, and the wire that drives both."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from arqway import Mistakes
from arqway.link import ContractError, Event, Frame, PythonService, Service, Wire, connect
from hypothesis import given, settings
from hypothesis import strategies as st
from stop_and_wait import StopAndWait

ALL_KINDS = ["raw", "sr:1.1", "go-back-n", "rlp:3", "xor-fec", "rlc:2", "rlc-um", "rlc-tm", "sscop", "snoop"]


def delivered(events: list[Event], end: str) -> list[bytes | None]:
    return [event.packet for event in events if event.what == "packet-delivered" and event.end == end]


def test_a_packet_goes_across_by_hand() -> None:
    near, far = Service("sr:0.5"), Service("sr:0.5", side="client")
    assert near.handle_packet(b"hello", 0.0)
    frame = near.poll_frame(0.0)
    assert frame is not None
    started = near.start_frame(frame, 0.0)
    assert started is not None
    near.handle_departure(started, 0.01)
    assert near.poll_timeout() == 0.51
    far.handle_frame(bytes(started), 0.06)
    assert (far.poll_packet(), far.poll_packet()) == (b"hello", None)
    assert near.counters["frames_sent"] == 1
    near.handle_timeout(0.51)
    again = near.poll_frame(0.51)
    assert again is not None
    assert again.octets == frame.octets


@pytest.mark.parametrize(
    "name", ["raw", "sr:1.1", "selective-repeat", {"kind": "selective-repeat", "timeout": "1.1 s"}]
)
def test_a_service_is_named_as_an_experiment_names_it(name: Any) -> None:
    assert Service(name).kind in ("raw", "selective-repeat")


def test_settings_may_be_keywords() -> None:
    service = Service("selective-repeat", timeout="0.3 s", drop_stale_copies=True)
    service.handle_packet(b"packet", 0.0)
    frame = service.poll_frame(0.0)
    assert frame is not None
    service.start_frame(frame, 0.0)
    service.handle_departure(frame, 0.0)
    assert service.poll_timeout() == 0.3


def test_wrong_settings_are_told_with_their_paths() -> None:
    with pytest.raises(Mistakes) as raised:
        Service("selective-repeat", timeuot="1.1 s", drop_stale_copies="yes")
    assert [mistake.path for mistake in raised.value.mistakes] == ["timeuot", "drop-stale-copies"]
    with pytest.raises(Mistakes, match="did you mean `selective-repeat`"):
        Service("selective-repaet")
    with pytest.raises(ValueError, match="`sr:soon` is not a scheme"):
        Service("sr:soon")
    with pytest.raises(ValueError, match="already has its setting"):
        Service("sr:1.1", timeout="2 s")
    with pytest.raises(TypeError, match="is not a service"):
        Service(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="access-point or client"):
        Service("raw", side="left")


def test_a_clock_that_runs_backwards_is_told_by_the_rule_s_name() -> None:
    service = Service("raw")
    service.handle_packet(b"one", 1.0)
    with pytest.raises(ContractError) as raised:
        service.handle_packet(b"two", 0.5)
    assert raised.value.rule == "clock-runs-backwards"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.rule, str(again)) == (raised.value.rule, str(raised.value))


@pytest.mark.parametrize("now", [-1.0, float("nan"), float("inf"), 1e300])
def test_a_time_that_is_none_is_told(now: float) -> None:
    with pytest.raises(ValueError, match="a time must be from 0 to"):
        Service("raw").handle_timeout(now)


def test_a_frame_is_its_octets() -> None:
    frame = Frame(b"octets", kind=3, ticket=7)
    assert (bytes(frame), frame.size, frame.ticket) == (b"\x03octets", 7, 7)
    assert Frame.from_bytes(bytes(frame)) == Frame(b"octets", kind=3)
    with pytest.raises(ValueError, match="0 to 7"):
        Frame(b"", kind=8)
    with pytest.raises(ValueError, match="at least one octet"):
        Frame.from_bytes(b"")


@pytest.mark.parametrize("name", ALL_KINDS)
def test_every_kind_carries_packets_over_a_wire(name: str) -> None:
    wire = connect(name, name)
    assert wire.send("a", bytes(range(100)))
    assert delivered(list(wire.run(until=30.0)), "b") == [bytes(range(100))]
    assert wire.now == 30.0


def drive(wire: Wire, packets: list[bytes]) -> list[Event]:
    """Send all packets as soon as there is room for each, and see all that happens in an hour."""
    events: list[Event] = []
    for packet in packets:
        while not wire.send("a", packet):
            events.extend(wire.run(until=wire.now + 0.1))
    return events + list(wire.run(until=wire.now + 3600))


@pytest.mark.parametrize("make", [lambda: "sr:0.5", lambda: StopAndWait(0.5)])
def test_all_packets_cross_a_line_that_loses_a_fifth_once_and_in_order(make: Any) -> None:
    packets = [f"packet {number}".encode() for number in range(100)]
    events = drive(connect(make(), make(), loss="20 %"), packets)
    assert delivered(events, "b") == packets
    assert any(event.what == "frame-lost" for event in events)


def test_the_same_seed_gives_the_same_events() -> None:
    def seen(seed: int) -> list[str]:
        return [repr(event) for event in drive(connect("sr:0.5", "sr:0.5", loss=0.2, seed=seed), [b"x" * 99] * 30)]

    assert seen(1) == seen(1)
    assert seen(1) != seen(2)


def test_a_service_of_rust_and_one_of_python_see_the_same_line() -> None:
    def lost(make: Any) -> list[bool]:
        events = drive(connect(make(), make(), errors={"kind": "listed", "down": [1, 3]}), [b"p"] * 4)
        sent = [event for event in events if event.end == "a" and event.what in ("frame-sent", "frame-lost")]
        return [event.what == "frame-lost" for event in sent[:5]]

    assert lost(lambda: "raw")[:4] == lost(StopAndWait)[:4] == [False, True, False, True]


def test_what_a_wire_shows_is_in_the_order_of_time() -> None:
    events = drive(connect("sr:0.5", "sr:0.5", loss="10 %"), [b"packet"] * 20)
    times = [event.time for event in events]
    assert times == sorted(times)
    assert {event.what for event in events} >= {
        "packet-taken",
        "frame-queued",
        "frame-sent",
        "frame-departed",
        "timeout",
    }


def test_wrong_settings_of_a_line_are_told() -> None:
    with pytest.raises(Mistakes, match="rate: "):
        connect("raw", "raw", rate="fast")
    with pytest.raises(Mistakes, match="did you mean `delay`"):
        connect("raw", "raw", dealy="50 ms")
    with pytest.raises(TypeError, match="give either `loss` or `errors`"):
        connect("raw", "raw", loss=0.1, errors="none")
    service = Service("raw")
    with pytest.raises(ValueError, match="each end needs its own"):
        connect(service, service)
    with pytest.raises(ValueError, match='expected "a" or "b"'):
        connect("raw", "raw").send("left", b"packet")


class Broken(StopAndWait):
    """Stop and wait whose timer stays due."""

    def handle_timeout(self, now: float) -> None:
        self.counters["timeouts"] += 1


class Restless(StopAndWait):
    """Stop and wait that has a packet out of nothing each time it is asked twice."""

    asked = 0

    def poll_packet(self) -> bytes | None:
        self.asked += 1
        return b"out of nothing" if self.asked > 1 else None


@pytest.mark.parametrize("notify", [True, False])
def test_an_outage_is_survived_and_only_ends_that_are_notified_are_silent_in_it(notify: bool) -> None:
    wire = connect("sr:0.5", "sr:0.5")
    wire.set_link(False, notify=notify)
    assert wire.send("a", b"packet")
    outage = [event.what for event in wire.run(until=60.0)]
    assert ("link-down" in outage) is notify
    assert ("frame-sent" in outage) is False
    assert ("frame-lost" in outage) is not notify
    wire.set_link(True, notify=notify)
    assert delivered(list(wire.run(until=70.0)), "b") == [b"packet"]


def test_a_service_of_python_is_at_rest_in_an_outage_and_its_timer_goes_on_where_it_was() -> None:
    wire = connect(StopAndWait(0.5), StopAndWait(0.5), rate="64 kbit/s", delay="50 ms")
    wire.send("a", b"packet")
    departed = [event.time for event in wire.run(until=0.02) if event.what == "frame-departed"]
    wire.set_link(False)
    assert {event.what for event in wire.run(until=60.0)} <= {"link-down", "frame-cut"}
    wire.set_link(True)
    events = list(wire.run(until=70.0))
    expired = [event.time for event in events if event.what == "timeout"]
    assert expired[0] - 60.0 == pytest.approx(0.5 - (0.02 - departed[0]))
    assert delivered(events, "b") == [b"packet"]


def test_what_is_on_its_way_when_the_link_goes_is_cut() -> None:
    wire = connect("raw", "raw")
    wire.send("a", b"packet")
    assert "frame-sent" in [event.what for event in wire.run(until=0.01)]
    wire.set_link(False)
    cut = [event for event in wire.run() if event.what == "frame-cut"]
    assert [(event.end, event.frame is not None) for event in cut] == [("b", True)]


def test_a_broken_rule_is_told_by_its_name_also_on_a_wire() -> None:
    wire = connect(Broken(), StopAndWait(), loss=1.0)
    wire.send("a", b"packet")
    with pytest.raises(ContractError) as raised:
        list(wire.run(until=10.0))
    assert raised.value.rule == "timer-still-due"
    service = Service(Restless())
    assert service.poll_packet() is None
    with pytest.raises(ContractError) as raised:
        service.poll_packet()
    assert raised.value.rule == "packet-after-drained"


class Endless(StopAndWait):
    """Has another frame for ever."""

    def poll_frame(self, now: float, room: int | None) -> Frame | None:
        return Frame(b"again")


def test_a_service_that_never_ends_is_told_and_does_not_hang() -> None:
    # Both ends are asked at time zero already.
    with pytest.raises(RuntimeError, match="has to return None"):
        connect(Endless(), StopAndWait(), queue={"kind": "drop-tail", "packets": 5})


class Raises(StopAndWait):
    """Raises in the middle of it."""

    def handle_frame(self, frame: Frame, now: float) -> None:
        raise ZeroDivisionError("in handle_frame")


def test_an_exception_of_a_service_comes_out_of_the_wire() -> None:
    wire = connect(StopAndWait(), Raises())
    wire.send("a", b"packet")
    with pytest.raises(ZeroDivisionError, match="in handle_frame"):
        list(wire.run(until=10.0))


@pytest.mark.parametrize(
    ("method", "returned", "told"),
    [
        ("handle_packet", None, "expected True if it took the packet"),
        ("poll_frame", 3, "expected a Frame, bytes or None"),
        ("poll_packet", "text", "expected bytes or None"),
        ("poll_timeout", "soon", "expected a time in seconds"),
        ("poll_timeout", -1.0, "from 0 to"),
    ],
)
def test_a_method_that_returns_something_else_is_told(method: str, returned: Any, told: str) -> None:
    service = StopAndWait()
    setattr(service, method, lambda *_: returned)
    with pytest.raises((TypeError, ValueError), match=told):
        connect(service, StopAndWait()).send("a", b"packet")


def test_a_service_without_its_methods_says_which() -> None:
    with pytest.raises(NotImplementedError):
        connect(PythonService(), PythonService()).send("a", b"packet")


def test_counters_of_a_python_service_are_its_own() -> None:
    wire = connect(StopAndWait(0.2), StopAndWait(), loss="30 %")
    drive(wire, [b"packet"] * 20)
    assert wire.a.counters["sent"] == 20 + wire.a.counters["timeouts"]


class Meddling(StopAndWait):
    """Drives the wire that drives it."""

    wire: Wire | None = None

    def handle_frame(self, frame: Frame, now: float) -> None:
        if self.wire:
            self.wire.send("b", b"meddling")


def test_a_service_cannot_drive_the_wire_that_drives_it() -> None:
    meddling = Meddling()
    meddling.wire = wire = connect(StopAndWait(), meddling)
    wire.send("a", b"packet")
    with pytest.raises(RuntimeError, match="borrowed"):
        list(wire.run(until=10.0))


Call = tuple[str, Any]
CALLS = st.one_of(
    st.tuples(st.just("handle_packet"), st.binary(max_size=60)),
    st.tuples(st.just("handle_frame"), st.binary(min_size=1, max_size=60)),
    st.tuples(
        st.sampled_from(["handle_timeout", "poll_frame", "start", "foreign", "depart", "poll_packet"]), st.none()
    ),
    st.tuples(st.just("handle_link"), st.booleans()),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(ALL_KINDS), st.lists(CALLS, max_size=40), st.binary(min_size=1, max_size=40))
def test_no_calls_whatever_make_a_service_panic(name: str, calls: list[Call], octets: bytes) -> None:
    service, handed, now = Service(name), [Frame(octets, ticket=len(octets))], 0.0
    for method, argument in calls:
        now += 0.1
        try:
            if method == "poll_frame":
                frame = service.poll_frame(now)
                handed += [frame] if frame else []
            elif method == "start":
                service.start_frame(handed[-1], now)
            elif method == "foreign":
                service.start_frame(Frame.from_bytes(octets), now)
            elif method == "depart":
                service.handle_departure(handed[-1], now, sent=now > 2)
            elif method == "poll_packet":
                service.poll_packet()
            elif method == "handle_timeout":
                service.handle_timeout(now)
            else:
                getattr(service, method)(argument, now)
        except ContractError:
            # Calls at random may break the owner's part; what must not happen is a panic.
            return
