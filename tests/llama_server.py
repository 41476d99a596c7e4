"""A fake llama-server in a folder for the PATH: it answers every request with "x", in llama.cpp's format.

Given a model file that does not begin with "GGUF", it prints the file's text and exits with an error.
"""

import os
import sys
from pathlib import Path

SOURCE = """#!{python}
import os, signal, sys
sys.path[:0] = {path!r}
from tests.api_server import ApiServer, chat, json_answer
from tests.counting_servers import llama_cpp

options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
with open({starts!r}, "a") as starts:
    print(os.getpid(), " ".join(sys.argv[1:]), file=starts)
with open(options["-m"]) as model:
    text = model.read()
if not text.startswith("GGUF"):
    sys.exit(text)
server = ApiServer(lambda request, times: chat("x"), port=int(options["--port"]))
llama_cpp(server, int(os.environ["LLAMA_ARG_CTX_SIZE"]), file=options["--alias"])
entry = dict(id=options["--alias"], object="model", created=0, owned_by="llamacpp")
server.pages["/v1/models"] = json_answer(dict(object="list", data=[entry]))
signal.pause()
"""


class FakeLlamaServer:
    """Writes the program to a new folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self._starts = folder, folder / "starts"
        path = [str(Path(__file__).parent.parent), *filter(None, sys.path)]
        program = folder / "llama-server"
        program.write_text(SOURCE.format(python=sys.executable, path=path, starts=str(self._starts)), encoding="utf-8")
        program.chmod(0o755)

    @property
    def path(self) -> str:
        """A PATH that finds the program first."""
        return f"{self.folder}{os.pathsep}{os.environ['PATH']}"

    @property
    def starts(self) -> list[str]:
        """The process id and the arguments of each start."""
        return self._starts.read_text(encoding="utf-8").splitlines() if self._starts.exists() else []

    @property
    def processes(self) -> list[int]:
        """The ids of the processes that were started."""
        return [int(line.split()[0]) for line in self.starts]
