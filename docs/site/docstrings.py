"""Convert docstrings to Markdown."""

import ast
import re


def to_markdown(docstring: str) -> str:
    """Turn every paragraph that is code rather than prose into a code block, whether or not it is indented."""
    return "\n\n".join(
        f"```python\n{paragraph}\n```" if is_program(paragraph) else paragraph
        for paragraph in re.split(r"\n{2,}", docstring)
    )


def is_program(text: str) -> bool:
    """Whether a text parses as Python and contains an assignment, a call, a loop or an import: prose never does."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return False
    return any(
        isinstance(statement, ast.Assign | ast.For | ast.Import | ast.ImportFrom)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call))
        for statement in body
    )
