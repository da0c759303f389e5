"""The contract of services, broken."""

from __future__ import annotations


class ContractError(RuntimeError):
    """A rule of the contract between a service and its owner is broken.

    Attributes
    ----------
    rule : str
        Which: ``clock-runs-backwards``, ``timer-still-due``, ``frame-after-drained``, ``packet-after-drained``,
        ``frame-changed-size``, ``frame-while-down``, ``timer-while-down``, ``packet-changed``.
    """

    rule: str

    def __init__(self, rule: str, told: str) -> None:
        super().__init__(f"{rule}: {told}")
        self.rule = rule
        self._told = told

    def __reduce__(self) -> tuple[type[ContractError], tuple[str, str]]:
        return type(self), (self.rule, self._told)
