"""How components travel to other processes: as their fields, without what they have loaded."""

import dataclasses
from typing import Any, SupportsIndex


class PickledByFields:
    """Base class of components that are pickled as the fields they were made from: the copy loads what it needs itself.

    Classes that are not dataclasses are pickled as Python does.
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        if not dataclasses.is_dataclass(self):
            return super().__reduce_ex__(protocol)
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}
        return _made, (type(self), fields)


def _made(cls: type, fields: dict[str, Any]) -> Any:
    return cls(**fields)
