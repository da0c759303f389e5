"""Stop and wait, written in Python against the contract: what the notebook teaches, and tests drive."""

from __future__ import annotations

from collections import Counter, deque

from arqway.link import Frame, PythonService

DATA, ACK = 0, 1


class StopAndWait(PythonService):
    """One packet at a time, sent again until the peer has acknowledged it; frames bear one bit of a number."""

    def __init__(self, timeout: float = 0.5, room: int = 8) -> None:
        self.timeout, self.room = timeout, room
        self.waiting: deque[bytes] = deque()
        self.number = 0
        self.in_hand = False
        self.deadline: float | None = None
        self.expected = 0
        self.acknowledge: int | None = None
        self.delivered: deque[bytes] = deque()
        self.counters: Counter[str] = Counter()

    def handle_packet(self, packet: bytes, now: float) -> bool:
        """Take a packet if there is room."""
        if len(self.waiting) == self.room:
            return False
        self.waiting.append(packet)
        return True

    def handle_frame(self, frame: Frame, now: float) -> None:
        """Take data, or the acknowledgement of ours."""
        number = frame.octets[0]
        if frame.kind == ACK:
            if self.waiting and number == self.number and self.deadline is not None:
                self.waiting.popleft()
                self.number ^= 1
                self.in_hand, self.deadline = False, None
            return
        self.acknowledge = number
        if number == self.expected:
            self.expected ^= 1
            self.delivered.append(frame.octets[1:])

    def poll_frame(self, now: float, room: int | None) -> Frame | None:
        """Acknowledge first, then send what is in hand."""
        if self.acknowledge is not None:
            number, self.acknowledge = self.acknowledge, None
            return Frame(bytes([number]), kind=ACK)
        if self.waiting and not self.in_hand:
            self.in_hand = True
            self.counters["sent"] += 1
            return Frame(bytes([self.number]) + self.waiting[0], kind=DATA, ticket=self.number)
        return None

    def handle_departure(self, frame: Frame, now: float, sent: bool) -> None:
        """Wait for the acknowledgement from when the frame has left."""
        self.deadline = now + self.timeout

    def handle_timeout(self, now: float) -> None:
        """Send it again."""
        self.counters["timeouts"] += 1
        self.in_hand, self.deadline = False, None

    def poll_timeout(self) -> float | None:
        """When that is due."""
        return self.deadline

    def poll_packet(self) -> bytes | None:
        """Release what has come."""
        return self.delivered.popleft() if self.delivered else None
