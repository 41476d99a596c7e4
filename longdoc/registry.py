"""Components by name: a component's name is its file's name, and the file is imported when it is first used.

A component is a dataclass whose fields are its parameters: the signature is the schema (`longdoc.construction`).
Other people's components come by entry point (group `longdoc.<package>`), or as `module:Class` or `module.py:Class`,
which the user must have typed (`longdoc.allowed_code`). A class, or a function's return annotation, is checked before
it is called.
"""

import dataclasses
import functools
import inspect
import re
import textwrap
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from longdoc import allowed_code, extensions
from longdoc.allowed_code import file_of, import_attribute, marked_with_file
from longdoc.construction import construct
from longdoc.errors import UserError, unknown
from longdoc.own_packages import is_ours, short_name
from longdoc.specs import Spec, parse_arguments

T = TypeVar("T")
# metadata of a field added to a component later: at its default it does not change a run's identity
ADDED_LATER = {"later": True}
_registries: "list[Registry[Any]]" = []
_FOREIGN_PATTERN = re.compile(r"([A-Za-z_][\w.]*:[A-Za-z_]\w*)(?::(.*))?", re.DOTALL)


class Registry(Generic[T]):
    """The components of one package.

    Each file of the package is a component, except those whose names begin with `_`; with `folders`, each file of
    these subpackages instead; and each file of the folders of benchmarks and plugins that are called `plural`.
    `presets` maps further names to specs (`"bleu-1": "bleu:n=1"`); `hidden` are files that presets and other components
    use, but no list shows; `otherwise` turns any other string into a spec (a model folder, a hub id). `contract` is the
    base class that every component extends, or the protocol that it implements. A component must have the abstract
    methods of a base class and its annotated attributes without a value; an attribute with a value is optional.
    `example` is an argument as users type it, for messages; `group` is the group of entry points.
    """

    def __init__(
        self,
        package: str,
        kind: str,
        *,
        contract: Any = object,
        presets: Mapping[str, str] | None = None,
        folders: Sequence[str] = ("",),
        plural: str = "",
        group: str = "",
        hidden: Sequence[str] = (),
        otherwise: Callable[[str], Mapping[str, Any]] | None = None,
        example: str = "",
    ) -> None:
        self.package, self.kind, self.contract = package, kind, contract
        self.presets = dict(presets or {})
        self.folders, self.hidden = tuple(folders), frozenset(hidden)
        self.plural, self.group = plural, group or f"longdoc.{short_name(package)}"
        self.otherwise, self.example = otherwise, example
        self._modules: dict[str, str] | None = None
        _registries.append(self)

    def names(self) -> list[str]:
        """Every name that `get` accepts without arguments: files, presets and entry points, sorted."""
        return sorted({*self._files(), *self.presets, *self._entry_points()} - self.hidden)

    def get(self, spec: Any, /, **fields: Any) -> T:
        """The component for a name, `NAME:ARGS`, a mapping with `name`, or an object that is one already."""
        if isinstance(spec, str):
            name, spec_fields = self.parse(spec)
            return self._build(name, spec_fields, fields, self._preset_fields(spec))
        if isinstance(spec, Mapping):
            return self._from_mapping(spec, fields)
        if fields:
            raise UserError(f"{self.kind} given as an object takes no further fields, got {', '.join(fields)}")
        return self._check_contract(spec)

    def _from_mapping(self, spec: Mapping[Any, Any], fields: dict[str, Any]) -> T:
        values = dict(spec)
        name = values.pop("name", None)
        if not isinstance(name, str):
            raise UserError(f"a {self.kind} given as a mapping needs a 'name', got {dict(spec)!r}")
        if name not in self.names() and isinstance(values.get(None), str):  # {module:Class}, read as {NAME:FIRST}
            joined = name + ":" + values[None]
            name = joined if _FOREIGN_PATTERN.fullmatch(joined) else name
            values = {field: value for field, value in values.items() if field is not None or name != joined}
        base, preset = self.parse(name)
        return self._build(base, {**preset, **values}, fields)

    def component(self, name: str) -> type:
        """The class of a name; imports its file. Raises `UserError` with the nearest names."""
        base = self.parse(name)[0] if name in self.presets else name
        if base in self._files():
            module = import_module(self._files()[base])
            return typing.cast(type, getattr(module, _camel(base)))
        points = self._entry_points()
        if base in points:
            return self._checked(points[base].load(), base)
        if _FOREIGN_PATTERN.fullmatch(base):
            return self._checked(import_attribute(base, self.kind), base)
        raise unknown(self.kind, name, self.names())

    def _files(self) -> dict[str, str]:
        """The modules of the components by name."""
        if self._modules is None:  # a package's files do not change while it runs
            package = import_module(self.package)
            places = [(folder, Path(home, folder)) for folder in self.folders for home in package.__path__]
            files = [(folder, path.stem) for folder, place in places for path in place.glob("*.py")]
            self._modules = dict(extensions.modules_in(self.plural) if self.plural else {}) | {
                name: ".".join(filter(None, (self.package, folder, name)))
                for folder, name in files
                if not name.startswith("_")
            }
        return self._modules

    def _entry_points(self) -> Mapping[str, Any]:
        return extensions.installed(self.group)

    def registered_name(self, cls: type) -> str | None:
        """The name under which an installed package registers a class; None if it does not."""
        file_name, code = cls.__module__.rpartition(".")[2], f"{cls.__module__}:{cls.__qualname__}"
        is_in_benchmark = self._files().get(file_name) == cls.__module__
        if is_in_benchmark and _camel(file_name) == cls.__name__:
            return file_name
        names = [name for name, point in self._entry_points().items() if point.value == code]
        return next((name for name in names if name not in self._files() and name not in self.presets), None)

    def parse(self, text: str) -> tuple[str, Spec]:
        """A name or `NAME:ARGS` as the component's own name and its fields, presets resolved. Raises `UserError`.

        The fields of a text from a file are marked with the file.
        """
        name_and_fields = self._parse(text)
        file = file_of(text)
        return name_and_fields if file is None else marked_with_file(name_and_fields, file)

    def _split(self, text: str) -> tuple[str, str, str]:
        """`NAME:ARGS` split at its colon; presets with a colon, such as "map:count", have arguments after a comma."""
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
        """Somebody else's class, or function that makes components. Raises `UserError`.

        A class must extend the contract, and a function must be annotated to return such a class.
        """
        component_class = made_class(attribute)
        if component_class is None:
            problem = f"is neither a class nor a function that makes a {self.kind}"
            raise UserError(f"{name} {problem}: name a class that implements one")
        if extends(component_class, self.contract):
            return typing.cast(type, attribute)
        if isinstance(attribute, type):
            missing = [part for part in required(self.contract) if not hasattr(component_class, part)]
            raise self._refusal(name, missing, f"it must be a class {self._contract_in_words}")
        rule = f"a function must say that it returns a class {self._contract_in_words}"
        raise self._refusal(name, (), f"{rule}, as in: def {attribute.__name__}() -> {self.contract.__name__}")

    def _check_contract(self, component: Any, name: str = "") -> T:
        """The component itself, made from `name`. Raises `UserError` if it does not fulfil the contract.

        A subclass may lack attributes that its base only annotates, so they are checked, too.
        """
        missing = [part for part in required(self.contract) if not hasattr(component, part)]
        is_instance = isinstance(component, self.contract)
        if is_instance and not missing:
            allowed_code.remember_typed(name_of(component))
            return typing.cast(T, component)
        if isinstance(component, type) and issubclass(component, self.contract):
            raise UserError(f"{component.__name__} is a class: give an object, {component.__name__}()")
        label = f"what {name} makes, {component!r}," if name else repr(component)
        if not name and type(component).__module__ == "builtins":
            missing = []  # for a number or a list it says nothing
        hint = "" if is_instance else self._cure(bool(name))
        raise self._refusal(textwrap.shorten(label, 200), missing, hint)

    def _refusal(self, label: str, missing: Sequence[str], hint: str = "") -> UserError:
        problems = [hint] if hint else []
        if missing:
            problems.append(f"it lacks {', '.join(missing)}")
        article = "an" if self.kind[0] in "aeiou" else "a"
        return UserError(f"{label} is not {article} {self.kind}: {'; '.join(problems)}")

    def _cure(self, is_named: bool) -> str:
        """What to pass in place of an object that is not a component; `is_named`: it was made from a name."""
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
        """The fields that a preset sets and the text does not, and which may be overridden."""
        name, _, arguments = self._split(text)
        if name not in self.presets:
            return set()
        return set(self.parse(self.presets[name])[1]) - parse_arguments(arguments).keys()

    def _build(self, name: str, spec_fields: Spec, fields: dict[str, Any], preset: Collection[Any] = ()) -> T:
        cls = self.component(name)
        repeated_fields = [field for field in fields if field in spec_fields and field not in preset]
        if repeated_fields:
            raise UserError(f"{self.kind} {name}: {', '.join(repeated_fields)} given twice")
        if inspect.isabstract(cls):
            raise self._refusal(name, sorted(abstract(cls)))
        label = f"{self.kind} {name}"
        component = construct(cls, label, {**spec_fields, **fields}, file_of(name))
        return self._check_contract(component, name) if ":" in name else typing.cast(T, component)


def describe(component: Any) -> Any:
    """A component as a nested mapping that includes its defaults, as `get` takes it and `run.json` stores it.

    Fields that were `ADDED_LATER` are left out if they have their default. An object that is not a dataclass is
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
    """The name that `get` accepts for a component: that of its file or entry point, else `module:Class`.

    A function is named as `module:function`, a `functools.partial` by its function.
    """
    if isinstance(component, functools.partial):
        return name_of(component.func)
    if inspect.isroutine(component):
        module = getattr(component, "__module__", None) or "builtins"
        return f"{module}:{getattr(component, '__qualname__', component.__name__)}"
    cls = component if isinstance(component, type) else type(component)
    file_name = cls.__module__.rpartition(".")[2]
    if not is_ours(cls.__module__):
        names = (registry.registered_name(cls) for registry in _registries if extends(cls, registry.contract))
        return next(filter(None, names), f"{cls.__module__}:{cls.__qualname__}")
    return (
        file_name if _camel(file_name) == cls.__name__ else f"longdoc.{short_name(cls.__module__)}:{cls.__qualname__}"
    )


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def made_class(attribute: Any) -> type | None:
    """A class itself, or the class in a function's return annotation, `object` without one.

    None for anything but a class or a function written in Python.
    """
    if isinstance(attribute, type):
        return attribute
    if not inspect.isfunction(attribute):
        return None
    try:
        return_type = typing.get_type_hints(attribute).get("return")
    except (NameError, TypeError, SyntaxError, AttributeError):  # annotations that name nothing there
        return_type = None
    return return_type if isinstance(return_type, type) else object


def extends(cls: type, contract: Any) -> bool:
    """Whether a class extends the base class `contract`, or has all attributes of the protocol `contract`."""
    if is_protocol(contract):
        return all(hasattr(cls, name) for name in required(contract))
    return issubclass(cls, contract)


def required(contract: Any) -> list[str]:
    """The attributes that a component must have: all of a protocol, or those of a base class without a default."""
    annotated_names = {name for cls in contract.__mro__ for name in inspect.get_annotations(cls)}
    if is_protocol(contract):
        names = annotated_names | set(dir(contract))
    else:
        names = {name for name in annotated_names if not hasattr(contract, name)}
        names |= abstract(contract)
    return sorted(name for name in names if not name.startswith("_"))


def abstract(cls: type) -> frozenset[str]:
    """The names of a class's abstract methods."""
    return frozenset(getattr(cls, "__abstractmethods__", ()))


def is_protocol(contract: Any) -> bool:
    """Whether a contract is a protocol and not a base class."""
    return typing.Protocol in contract.__bases__
