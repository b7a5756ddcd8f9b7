"""How tests are shared out: those of one file go to one process, and one that ended its process is not run again."""

from typing import Any

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]


class Once(LoadFileScheduling):  # type: ignore[misc]
    """pytest-xdist would hand a test that ended its process to the next one, and so on until it starts no more."""

    def remove_node(self, node: Any) -> str | None:
        for unit in self.assigned_work[node].values():
            for name, completed in unit.items():
                if not completed:
                    unit[name] = True
                    self.leave_out_completed(node)
                    super().remove_node(node)
                    return str(name)
        return super().remove_node(node)  # type: ignore[no-any-return]

    def leave_out_completed(self, node: Any) -> None:
        """A file without tests to run would be given to a process that then waits for ever to be told more."""
        units = self.assigned_work[node]
        self.assigned_work[node] = {scope: unit for scope, unit in units.items() if not all(unit.values())}
