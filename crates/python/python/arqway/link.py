"""A link layer, frame by frame: for teaching, for debugging, for trying a new one.

A :class:`Service` is one end of a recovery scheme. It reads no clock and sends nothing by itself: its owner passes in
the time, the packets of the network layer and the frames of its peer, and polls it for frames, packets and the time of
its next deadline. :func:`connect` makes such an owner: two services on a line with a channel of the
simulator, in virtual time, step by step.

A :class:`PythonService` is a service of your own, driven by the same owner under the same contract:

- ``now`` never decreases;
- after ``handle_timeout(now)`` the next deadline lies after ``now``;
- once ``poll_frame`` or ``poll_packet`` has returned ``None``, nothing new appears before the next ``handle_...`` or
  ``start_frame``;
- a frame fits into the room that it was asked for, and keeps its size when it starts;
- while the link is down there is no deadline and no frame.

A call that breaks a rule raises :class:`ContractError`. All times are in seconds.
"""

from __future__ import annotations

from arqway._arqway import Event, Frame, Service, Wire, connect
from arqway._contract import ContractError

__all__ = ["ContractError", "Event", "Frame", "PythonService", "Service", "Wire", "connect"]


class PythonService:
    """A service written in Python: subclass it and write the methods that your protocol needs.

    Every service needs :meth:`handle_packet`, :meth:`handle_frame`, :meth:`poll_frame` and :meth:`poll_packet`; the
    defaults of the others do nothing. Pass an instance to :func:`connect`, or to :class:`Service` to drive it by hand.

    The ``now`` that it is told stands still while the link is down, and is behind the time from then on.
    """

    def handle_packet(self, packet: bytes, now: float) -> bool:
        """Take a packet to carry; return ``False`` if there is no room for it."""
        raise NotImplementedError

    def handle_frame(self, frame: Frame, now: float) -> None:
        """Take a frame from the peer. One that cannot be decoded is not an error: count it, and go on."""
        raise NotImplementedError

    def handle_timeout(self, now: float) -> None:
        """Act on every deadline at or before ``now``."""

    def handle_link(self, up: bool, now: float) -> None:
        """Learn that the link below went down or came back.

        Timers need no care: while it is down, ``now`` stands still, and you are asked for no frame and no deadline.
        """

    def poll_frame(self, now: float, room: int | None) -> Frame | bytes | None:
        """Hand the next frame over to the queue below, or return ``None``.

        It may have at most ``room`` octets with its tag, or any number if ``room`` is ``None``.
        """
        raise NotImplementedError

    def largest_packet(self, room: int) -> int:
        """How many octets a packet may have that fits into a frame of ``room`` octets.

        The default is for a service that adds nothing to a packet: the frame's tag is one octet.
        """
        return max(room - 1, 0)

    def start_frame(self, frame: Frame, now: float) -> Frame | bytes | None:
        """Return a frame whose turn has come, or the same with a fresh acknowledgement; ``None`` withdraws it."""
        return frame

    def handle_departure(self, frame: Frame, now: float, sent: bool) -> None:
        """Learn that a frame with a ticket has left the queue or, if ``sent`` is ``False``, was dropped by it."""

    def poll_packet(self) -> bytes | None:
        """Release the next packet to the network layer, or return ``None``."""
        raise NotImplementedError

    def poll_timeout(self) -> float | None:
        """When :meth:`handle_timeout` is next due, or ``None``."""
        return None
