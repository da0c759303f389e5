"""The error for a broken service contract."""

from __future__ import annotations


class ContractError(RuntimeError):
    """A service or its owner broke a rule of the contract between them.

    Attributes
    ----------
    rule : str
        The rule: ``clock-runs-backwards``, ``timer-still-due``, ``frame-after-drained``, ``packet-after-drained``,
        ``frame-changed-size``, ``frame-too-large``, ``frame-while-down``, ``timer-while-down``, ``packet-changed``.
    """

    rule: str

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{rule}: {message}")
        self.rule = rule
        self._message = message

    def __reduce__(self) -> tuple[type[ContractError], tuple[str, str]]:
        return type(self), (self.rule, self._message)
