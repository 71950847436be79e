"""The socket for commands."""

import asyncio
from pathlib import Path

from firmware_bridge.emulate.control import Control


def test_an_emulation_that_ends_while_a_client_is_connected_complains_of_nothing(tmp_path: Path) -> None:
    complaints: list[object] = []

    async def live() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        control = Control(lambda text: f"{text.strip()}: ok")
        await control.open(tmp_path / "commands")
        answers, lines = await asyncio.open_unix_connection(tmp_path / "commands")
        lines.write(b"quit\n")
        assert await answers.readline() == b"quit: ok\n"
        control.close()
        client = lines.transport  # closed after the server's side, as `--tell` closes its own
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        client.close()

    asyncio.run(live())
    assert complaints == []
