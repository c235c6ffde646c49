"""Many idle streams, and what they take of the server."""

import asyncio
import pathlib
import threading

import grpc
import grpc.aio

from support import rpc, server as servers

SPARE_BYTES = 64 << 20


def resources(server):
    """Resident bytes, threads and descriptors of the server."""
    process = pathlib.Path("/proc") / str(server.process.pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) * 1024, int(status["Threads"]), len(list((process / "fd").iterdir()))


async def idle_streams(server, method, request, answers, connections, each):
    """Opens idle streams, gives the server's resources before and with them, and closes them."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(server.host, options=options) for _ in range(connections)]
    calls = []

    async def opened(channel):
        open_stream = channel.stream_stream(rpc.SERVICE + method, response_deserializer=bytes)
        for _ in range(each):
            call = open_stream(metadata=rpc.OWNER)
            await call.write(request)
            for _ in range(answers):
                assert await call.read()
            calls.append(call)

    for channel in channels:
        await channel.channel_ready()
    before = resources(server)
    await asyncio.gather(*map(opened, channels))
    held = resources(server)
    for call in calls:
        call.cancel()
    for channel in channels:
        await channel.close()
    return before, held


def check_idle_streams(tmp_path, method, request, answers, connections, each, most_bytes):
    """Streams take little memory and no thread; descriptors, threads and memory come back."""
    server = servers.Brasa(tmp_path / "data").start()
    try:
        first = resources(server)
        peaks = []
        for _ in range(2):
            before, held = asyncio.run(
                idle_streams(server, method, request, answers, connections, each))
            peaks.append(held[0])
            bytes_each = (held[0] - before[0]) / (connections * each)
            print(f"{connections * each} idle streams: {bytes_each:.0f} bytes each, {held[1]} threads")
            assert bytes_each < most_bytes
            assert held[1] <= before[1] + 2, "streams took threads"
            pause = threading.Event()
            for _ in range(600):
                after = resources(server)
                if after[2] <= first[2] + 2:
                    break
                pause.wait(0.05)
            assert after[1] <= before[1] + 2 and after[2] <= first[2] + 2, (first, before, after)
        assert peaks[1] <= peaks[0] * 1.25 + SPARE_BYTES, f"the second time takes more: {peaks}"
        assert server.stop() == 0
    finally:
        server.kill()
