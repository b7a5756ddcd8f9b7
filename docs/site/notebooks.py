"""Convert notebooks to Markdown: text, code and stored outputs."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any


def as_markdown(file: Path) -> str:
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in parts_of(cell)) + "\n"


def parts_of(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(shown, cell["outputs"])]


def shown(output: dict[str, Any]) -> str:
    """An output in the richest format available."""
    data = {form: "".join(text) for form, text in output.get("data", {"text/plain": output.get("text", "")}).items()}
    if "image/svg+xml" in data:
        return picture("image/svg+xml", b64encode(data["image/svg+xml"].encode()).decode())
    if "image/png" in data:
        return picture("image/png", "".join(data["image/png"].split()))
    if "text/html" in data:
        lines = [line.strip() for line in data["text/html"].splitlines()]
        return f'<div class="output">\n{"".join(lines)}\n</div>'
    return f"```text\n{data['text/plain'].rstrip()}\n```"


def picture(form: str, content: str) -> str:
    return f'<div class="output"><img src="data:{form};base64,{content}" alt="" /></div>'
