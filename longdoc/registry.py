"""Components by name: a component's name is its file's name, and the file is imported when it is first used.

A component is a dataclass whose fields are its parameters: the signature is the schema, checked here by name and type.
Others come by entry point (group `longdoc.<package>`), or as `module:Class` or `module.py:Class`, which the user must
have typed (`longdoc.allowed_code`).
"""

import dataclasses
import functools
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from longdoc import allowed_code
from longdoc.allowed_code import check_fields, import_attribute
from longdoc.contracts import abstract, extends, is_protocol, made_class, required
from longdoc.errors import UserError, unknown
from longdoc.file_values import file_of, marked_with_file
from longdoc.layout import is_ours, short_name
from longdoc.specs import Spec, parse_arguments
from longdoc.whole_numbers import check_whole

T = TypeVar("T")
LATER_VALUES = {"later": True}  # metadata of a field that a component got later: runs without it are the same runs
_FOREIGN_PATTERN = re.compile(r"([A-Za-z_][\w.]*:[A-Za-z_]\w*)(?::(.*))?", re.DOTALL)


class Registry(Generic[T]):
    """The components of one package.

    Each file of the package is a component, except those whose names begin with `_`; with `folders`, each file of
    these subpackages instead. `presets` maps further names to specs (`"bleu-1": "bleu:n=1"`); `hidden` are the files
    that presets and other components use, and no list names; `otherwise` turns any other string into a spec (a model
    folder, a hub id). `contract` is the base class that every component extends, or the protocol that it implements. A
    component has to provide the abstract methods of a base class and the attributes that are annotated there without a
    value; an attribute with a value is optional. `example` is an argument as users type it, for messages.
    """

    def __init__(
        self,
        package: str,
        kind: str,
        *,
        contract: Any = object,
        presets: Mapping[str, str] | None = None,
        folders: Sequence[str] = ("",),
        hidden: Sequence[str] = (),
        otherwise: Callable[[str], Mapping[str, Any]] | None = None,
        example: str = "",
    ) -> None:
        self.package, self.kind, self.contract = package, kind, contract
        self.presets = dict(presets or {})
        self.folders, self.hidden = tuple(folders), frozenset(hidden)
        self.otherwise, self.example = otherwise, example
        self._modules: dict[str, str] | None = None

    def names(self) -> list[str]:
        """Every name that `get` accepts without arguments: files, presets and entry points, sorted."""
        return sorted({*self._files(), *self.presets, *self._entry_points()} - self.hidden)

    def get(self, spec: Any, /, **fields: Any) -> T:
        """The component for a name, `NAME:ARGS`, a mapping with `name`, or an object that fulfils the contract."""
        if isinstance(spec, str):
            name, given_fields = self.parse(spec)
            return self._build(name, given_fields, fields, self._preset_fields(spec))
        if isinstance(spec, Mapping):
            return self._from_mapping(spec, fields)
        if fields:
            raise UserError(f"{self.kind} given as an object takes no further fields, got {', '.join(fields)}")
        return self._check_contract(spec)

    def _from_mapping(self, spec: Mapping[Any, Any], fields: dict[str, Any]) -> T:
        given_values = dict(spec)
        name = given_values.pop("name", None)
        if not isinstance(name, str):
            raise UserError(f"a {self.kind} given as a mapping needs a 'name', got {dict(spec)!r}")
        if name not in self.names() and isinstance(given_values.get(None), str):  # {module:Class}, read as {NAME:FIRST}
            joined = name + ":" + given_values[None]
            name = joined if _FOREIGN_PATTERN.fullmatch(joined) else name
            given_values = {
                field: value for field, value in given_values.items() if field is not None or name != joined
            }
        base, preset = self.parse(name)
        return self._build(base, {**preset, **given_values}, fields)

    def component(self, name: str) -> type:
        """The class behind a name; its file is imported now. Raises `UserError` with the nearest names."""
        base = self.parse(name)[0] if name in self.presets else name
        if base in self._files():
            module = import_module(self._files()[base])
            return typing.cast(type, getattr(module, "".join(part.capitalize() for part in base.split("_"))))
        points = self._entry_points()
        if base in points:
            return self._checked(points[base].load(), base)
        if _FOREIGN_PATTERN.fullmatch(base):
            return self._checked(import_attribute(base, self.kind), base)
        raise unknown(self.kind, name, self.names())

    def _files(self) -> dict[str, str]:
        """Each component's name and its module."""
        if self._modules is None:  # a package's files do not change while it runs
            home = Path(typing.cast(str, import_module(self.package).__file__)).parent
            files = [(folder, path.stem) for folder in self.folders for path in (home / folder).glob("*.py")]
            self._modules = {
                name: ".".join(filter(None, (self.package, folder, name)))
                for folder, name in files
                if not name.startswith("_")
            }
        return self._modules

    def _entry_points(self) -> dict[str, Any]:
        points = _installed_points(tuple(sys.path)).select(group=f"longdoc.{short_name(self.package)}")
        return {point.name: point for point in points}

    def parse(self, text: str) -> tuple[str, Spec]:
        """A name or `NAME:ARGS` as the component's own name and its fields, presets resolved. Raises `UserError`.

        Those of a text from a file are marked as that file's.
        """
        named = self._parse(text)
        file = file_of(text)
        return named if file is None else marked_with_file(named, file)

    def _split(self, text: str) -> tuple[str, str, str]:
        """`NAME:ARGS` at its colon; a preset that has one itself, "map:count", takes its arguments behind a comma."""
        for name in self.presets:
            if ":" in name and (text == name or text.startswith(f"{name},")):
                return name, text[len(name) : len(name) + 1], text[len(name) + 1 :]
        return text.partition(":")

    def _parse(self, text: str) -> tuple[str, Spec]:
        name, colon, arguments = self._split(text)
        if name in self.presets:
            base, preset = self.parse(self.presets[name])
            return base, preset | parse_arguments(arguments)
        if name in self._files() or name in self._entry_points():
            return name, parse_arguments(arguments)
        if match := _FOREIGN_PATTERN.fullmatch(text):
            return match[1], parse_arguments(match[2] or "")
        if self.otherwise is not None:
            spec = dict(self.otherwise(text))
            return spec.pop("name"), spec
        if colon and re.fullmatch(r"[\w-]+", name):
            raise unknown(self.kind, name, self.names())
        raise unknown(self.kind, text, self.names())

    def _checked(self, attribute: Any, name: str) -> type:
        """Somebody else's class, or a function that makes components, before it is called. Raises `UserError`.

        A class has to extend the contract, and a function to say that what it returns does.
        """
        new_class = made_class(attribute)
        if new_class is None:
            problem = f"is neither a class nor a function that makes a {self.kind}"
            raise UserError(f"{name} {problem}: name a class that implements one")
        if extends(new_class, self.contract):
            return typing.cast(type, attribute)
        if isinstance(attribute, type):
            lacking_names = [part for part in required(self.contract) if not hasattr(new_class, part)]
            raise self._refusal(name, lacking_names, f"it must be a class {self._contract_in_words}")
        returns = f"a function must say that it returns a class {self._contract_in_words}"
        raise self._refusal(name, (), f"{returns}, as in: def {attribute.__name__}() -> {self.contract.__name__}")

    def _check_contract(self, component: Any, name: str = "") -> T:
        """The component, which `name` made, if it fulfils the contract. Raises `UserError` that names what it lacks.

        A subclass may lack attributes that its base only annotates, so they are checked too.
        """
        lacking_names = [part for part in required(self.contract) if not hasattr(component, part)]
        fulfils = isinstance(component, self.contract)
        if fulfils and not lacking_names:
            allowed_code.remember_typed(name_of(component))
            return typing.cast(T, component)
        if isinstance(component, type) and issubclass(component, self.contract):
            raise UserError(f"{component.__name__} is a class: give an object, {component.__name__}()")
        label = f"what {name} makes, {component!r}," if name else repr(component)
        if not name and type(component).__module__ == "builtins":
            lacking_names = []  # a number or a list is no attempt at one
        hint = "" if fulfils else self._cure_text(bool(name))
        raise self._refusal(textwrap.shorten(label, 200), lacking_names, hint)

    def _refusal(self, label: str, lacking_names: Sequence[str], hint: str = "") -> UserError:
        problems = [hint] if hint else []
        if lacking_names:
            problems.append(f"it lacks {', '.join(lacking_names)}")
        return UserError(f"{label} is no {self.kind}: {'; '.join(problems)}")

    def _cure_text(self, is_named: bool) -> str:
        """What to do about an object that is no component, `is_named` where a name made it."""
        if is_named:
            return f"it must be an object {self._contract_in_words}"
        example = f" ({self.example})" if self.example else ""
        return f"give a name{example}, a mapping with one, or an object {self._contract_in_words}"

    @property
    def _contract_in_words(self) -> str:
        exported = hasattr(import_module(self.package), self.contract.__name__)
        base = f"{self.package if exported else self.contract.__module__}.{self.contract.__name__}"
        return f"with the methods of {base}" if is_protocol(self.contract) else f"that extends {base}"

    def _preset_fields(self, text: str) -> set[Any]:
        """The fields that this preset sets and the text does not: they may be overridden."""
        name, _, arguments = self._split(text)
        if name not in self.presets:
            return set()
        return set(self.parse(self.presets[name])[1]) - parse_arguments(arguments).keys()

    def _build(self, name: str, given_fields: Spec, fields: dict[str, Any], preset: Collection[Any] = ()) -> T:
        cls = self.component(name)
        twice_names = [field for field in fields if field in given_fields and field not in preset]
        if twice_names:
            raise UserError(f"{self.kind} {name}: {', '.join(twice_names)} given twice")
        if inspect.isabstract(cls):
            raise self._refusal(name, sorted(abstract(cls)))
        label = f"{self.kind} {name}"
        component = construct(cls, label, {**given_fields, **fields}, file_of(name))
        return self._check_contract(component, name) if ":" in name else typing.cast(T, component)


@functools.cache
def _installed_points(path: tuple[str, ...]) -> Any:
    """The entry points of all packages on `path`, which is `sys.path`; reading them takes 30 ms."""
    return entry_points()


def construct(cls: type, label: str, values: Mapping[Any, Any], file: str | None = None) -> Any:
    """Make a component that a `file` (None: the user) names; unknown and badly typed fields are refused by name."""
    if not dataclasses.is_dataclass(cls):
        if isinstance(cls, type):
            check_fields(cls, label, values, file)
        return _call(cls, label, values)
    schema = {field.name: field for field in dataclasses.fields(cls) if field.init}
    given_values = dict(values)
    if None in given_values:
        if not schema:
            raise UserError(f"{label} takes no parameters, got {given_values[None]!r}")
        first = next(iter(schema))
        if first in given_values:
            raise UserError(f"{label}: {first} given twice")
        given_values[first] = given_values.pop(None)
    check_fields(cls, label, given_values, file)
    hints = typing.get_type_hints(cls)
    checked = {}
    for name, value in given_values.items():
        if name not in schema:
            raise unknown(f"parameter of {label}:", str(name), schema)
        checked[name] = _typed_value(label, str(name), value, hints[str(name)])
    missing = [
        name
        for name, field in schema.items()
        if name not in checked and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise UserError(f"{label} needs {', '.join(missing)}")
    return cls(**checked)


def _call(make: Callable[..., Any], label: str, values: Mapping[Any, Any]) -> Any:
    """Call a class that is not a dataclass, or a function, with the values."""
    if None in values:
        raise UserError(f"{label} takes named values only, as in NAME:field={values[None]!r}")
    try:
        inspect.signature(make).bind(**{str(key): value for key, value in values.items()})
    except TypeError as error:
        raise UserError(f"{label}: {error}") from None
    except ValueError:
        pass  # a class written in C may have no signature
    return make(**{str(key): value for key, value in values.items()})


def _typed_value(label: str, name: str, value: Any, hint: Any) -> Any:
    from typeguard import CollectionCheckStrategy, TypeCheckError, check_type

    if isinstance(value, list):  # the spec language has lists only; fields are hashable tuples
        value = tuple(value)
    check_whole(f"{label}: {name}", value)
    try:
        check_type(_plain(value), hint, collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS)
    except TypeCheckError:
        raise UserError(f"{label}: {name} must be {type_text(hint)}, got {value!r}") from None
    return value


def _plain(value: Any) -> Any:
    """The value without marks of a file: typeguard compares the types of texts with those of a `Literal`."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def type_text(hint: Any) -> str:
    """A type in words: "one of 'a', 'b'", "a list of str", "float or None"."""
    origin, type_arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return repr(type_arguments[0]) if len(type_arguments) == 1 else f"one of {', '.join(map(repr, type_arguments))}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(map(type_text, type_arguments))
    if origin in (tuple, list, Sequence) and type_arguments[1:] in ((), (...,)):
        return (
            "a list"
            if type_arguments[0] is Any
            else f"a list of {type_text(type_arguments[0]).removeprefix('one of ')}"
        )
    if hint is type(None):
        return "None"
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "").replace("collections.abc.", "")


def describe(component: Any) -> Any:
    """A component as a nested mapping that includes its defaults, as `get` takes it and `run.json` stores it.

    Fields that came `LATER_VALUES` are left out where they have their default. An object that is not a dataclass is
    named as `module:Class` with `"repeatable": False`.
    """
    if dataclasses.is_dataclass(component) and not isinstance(component, type):
        fields = {
            field.name: describe(getattr(component, field.name))
            for field in dataclasses.fields(component)
            if field.init and not (field.metadata.get("later") and getattr(component, field.name) == field.default)
        }
        return {"name": name_of(component)} | fields
    if isinstance(component, Mapping):
        return {str(key): describe(value) for key, value in component.items()}
    if isinstance(component, (list, tuple)):
        return [describe(value) for value in component]
    if component is None or isinstance(component, (str, int, float, bool)):
        return str(component) if isinstance(component, str) else component
    return {"name": name_of(component), "repeatable": False}


def name_of(component: Any) -> str:
    """The name that `get` accepts for a component: the file's name for ours, `module:Class` for others.

    A function is named as `module:function`, a `functools.partial` by its function.
    """
    if isinstance(component, functools.partial):
        return name_of(component.func)
    if inspect.isroutine(component):
        module = getattr(component, "__module__", None) or "builtins"
        return f"{module}:{getattr(component, '__qualname__', component.__name__)}"
    cls = component if isinstance(component, type) else type(component)
    last = cls.__module__.rpartition(".")[2]
    camel = "".join(part.capitalize() for part in last.split("_"))
    if not is_ours(cls.__module__):
        return f"{cls.__module__}:{cls.__qualname__}"
    return last if camel == cls.__name__ else f"longdoc.{short_name(cls.__module__)}:{cls.__qualname__}"
