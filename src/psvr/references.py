"""Named tuples of many arrays that compiled functions pass by reference.

numba passes a tuple by value: every word of every array in it, at every call.  For the world of a simulation these are
hundreds, and copying them took about a quarter of the time of a small network.
"""

from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

T = TypeVar("T")


class Reference(types.Type):  # type: ignore[misc]
    """A reference to a named tuple, which stays in place for as long as the call from Python lasts."""

    def __init__(self, whole: types.NamedTuple) -> None:
        self.whole = whole
        super().__init__(name=f"Reference({whole})")

    def index(self, name: str) -> int:
        return int(self.whole.fields.index(name))


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Reference) -> None:
        super().__init__(manager, kind, manager.lookup(kind.whole).get_value_type().as_pointer())


@infer_getattr
class ReferenceParts(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, kind: Reference, name: str) -> Any:
        return kind.whole.types[kind.index(name)] if name in kind.whole.fields else None


@lower_getattr_generic(Reference)  # type: ignore[untyped-decorator]
def part(context: Any, builder: Any, kind: Reference, value: Any, name: str) -> Any:
    found = builder.load(cgutils.gep_inbounds(builder, value, 0, kind.index(name)))
    return impl_ret_borrowed(context, builder, kind.whole.types[kind.index(name)], found)


@unbox(Reference)  # type: ignore[untyped-decorator]
def from_python(kind: Reference, value: Any, c: Any) -> NativeValue:
    whole = c.unbox(kind.whole, value)
    place = cgutils.alloca_once_value(c.builder, whole.value)
    return NativeValue(place, is_error=whole.is_error, cleanup=whole.cleanup)


def by_reference(cls: type[T]) -> type[T]:
    """Let compiled functions take tuples of this class by reference; they can read its fields, but make none."""

    @typeof_impl.register(cls)  # type: ignore[untyped-decorator]
    def kind_of(value: Any, c: Any) -> Reference:
        return Reference(types.NamedTuple([typeof_impl(part, c) for part in value], cls))

    return cls
