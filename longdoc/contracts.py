"""Whether a class, or what a function says that it returns, is a component: known before either is called."""

import inspect
import typing
from typing import Any


def made_class(attribute: Any) -> type | None:
    """A class itself, or the class that a function's annotation says it returns, `object` where it says nothing.

    None for what is neither a class nor a function written in Python.
    """
    if isinstance(attribute, type):
        return attribute
    if not inspect.isfunction(attribute):
        return None
    try:
        returned = typing.get_type_hints(attribute).get("return")
    except (NameError, TypeError, SyntaxError, AttributeError):  # annotations that name nothing there
        returned = None
    return returned if isinstance(returned, type) else object


def extends(cls: type, contract: Any) -> bool:
    """Whether a class extends the base class `contract`, or has all that the protocol `contract` names."""
    if is_protocol(contract):
        return all(hasattr(cls, name) for name in required(contract))
    return issubclass(cls, contract)


def required(contract: Any) -> list[str]:
    """What a component must have: all that a protocol names, and what a base class gives no default for."""
    annotated = {name for cls in contract.__mro__ for name in inspect.get_annotations(cls)}
    if is_protocol(contract):
        names = annotated | set(dir(contract))
    else:
        names = {name for name in annotated if not hasattr(contract, name)}
        names |= abstract(contract)
    return sorted(name for name in names if not name.startswith("_"))


def abstract(cls: type) -> frozenset[str]:
    """The methods that a class leaves to its subclasses."""
    return frozenset(getattr(cls, "__abstractmethods__", ()))


def is_protocol(contract: Any) -> bool:
    """Whether a contract is a protocol, not a base class."""
    return typing.Protocol in contract.__bases__
