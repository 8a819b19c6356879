"""Runs one server, and ends it with its folder as soon as whoever asked for it is gone.

usage: python keeper.py FOLDER USER STOP_SIGNAL COMMAND...

The keeper's standard input is a pipe from the process that asked. It closes however that process ends, kill -9 included.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading

PATIENCE_S = 10.0


def stop_when_alone(server: "subprocess.Popen[bytes]", stop: int) -> None:
    """Returns after standard input has closed and the server was told to stop."""
    while os.read(0, 1):
        pass
    server.send_signal(stop)
    try:
        server.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        server.kill()


def main(folder: str, user: str, stop: str, command: list[str]) -> int:
    """The server's exit code; its folder is gone by then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups = {"user": user, "group": user, "extra_groups": []} if user else {}
    server = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, **groups)  # type: ignore[call-overload]
    threading.Thread(target=stop_when_alone, args=(server, int(stop)), daemon=True).start()
    code = server.wait()
    shutil.rmtree(folder, ignore_errors=True)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
