"""Many idle streams, and what they take of the server."""

import asyncio
import threading

import grpc
import grpc.aio

from support import rpc, server as servers
from support.vitals import vitals

SPARE_BYTES = 64 << 20


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
    before = vitals(server.process.pid)
    await asyncio.gather(*map(opened, channels))
    held = vitals(server.process.pid)
    for call in calls:
        call.cancel()
    for channel in channels:
        await channel.close()
    return before, held


def check_idle_streams(tmp_path, method, request, answers, connections, each, most_bytes):
    """Streams take little memory and no thread; descriptors, threads and memory come back."""
    server = servers.Brasa(tmp_path / "data").start()
    try:
        first = vitals(server.process.pid)
        peaks = []
        for _ in range(2):
            before, held = asyncio.run(
                idle_streams(server, method, request, answers, connections, each))
            peaks.append(held.memory)
            bytes_each = (held.memory - before.memory) / (connections * each)
            print(f"{connections * each} idle streams: {bytes_each:.0f} bytes each, {held.threads} threads")
            assert bytes_each < most_bytes
            assert held.threads <= before.threads + 2, "streams took threads"
            pause = threading.Event()
            for _ in range(600):
                after = vitals(server.process.pid)
                if after.descriptors <= first.descriptors + 2:
                    break
                pause.wait(0.05)
            assert after.threads <= before.threads + 2, (before, after)
            assert after.descriptors <= first.descriptors + 2, (first, after)
        assert peaks[1] <= peaks[0] * 1.25 + SPARE_BYTES, f"the second time takes more: {peaks}"
        assert server.stop() == 0
    finally:
        server.kill()
