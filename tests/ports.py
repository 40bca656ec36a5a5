"""A TCP port of the loopback for a program that must be told a number."""
import contextlib
import socket


@contextlib.contextmanager
def held_port():
    """Gives a port that stays bound, and does not listen, until the end of the block: the kernel hands it to nobody
    else, and a program that sets SO_REUSEADDR can listen on it."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
