"""A worker process of `processes`: answers what comes over its socket, and ends with it."""

import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import NoReturn


def main(descriptor: int) -> NoReturn:
    """Runs until the socket is closed at the other end, also in the middle of work."""
    connection = Connection(descriptor)
    requests: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(connection, requests.put), daemon=True).start()

    from wordworth.engine.workbench import Workbench

    bench = Workbench()
    while True:
        for answer in bench.answers(requests.get()):
            connection.send_bytes(answer)


def _listen(connection: Connection, put: Callable[[bytes], None]) -> NoReturn:
    """Reads ahead of the work, so that the end of the driver is seen at once and not after the shard."""
    while True:
        try:
            put(connection.recv_bytes())
        except (EOFError, OSError):
            # What is half written elsewhere is marked as such, and swept by the next process that looks there.
            os._exit(0)
