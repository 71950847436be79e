"""A Dask cluster as workers: `dask scheduler` on one machine, `dask worker ADDRESS --nthreads 1` on each."""

from concurrent.futures import CancelledError, Executor
from typing import Any

from hilctl.errors import HilctlError, WrongUse
from hilctl.study.program import OtherProgram, asked, program

_PATIENCE_S = 5.0
_INSTALL = "`pip install 'hilctl[cluster]'` installs it"


class Cluster:
    """The workers of a scheduler."""

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise WrongUse(f"--cluster {address}: Dask is not installed; {_INSTALL}") from None
        self._address = address
        try:
            self._client = self._made(distributed.Client, address)
        except (OSError, ValueError, TimeoutError) as error:
            raise HilctlError(f"--cluster {address}: no scheduler answers there ({_last(error)}); start one with "
                              "`dask scheduler`, and give the address that it prints") from None  # fmt: skip
        try:
            self._need_workers()
            self._need_same()
        except BaseException:
            self.close()
            raise
        self._executor: Executor = self._client.get_executor(pure=False, retries=0)

    @staticmethod
    def _made(kind: Any, address: str) -> Any:
        return kind(address, timeout=_PATIENCE_S, set_as_default=False)

    def _need_workers(self) -> None:
        from distributed import TimeoutError as Late

        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (Late, TimeoutError):
            raise HilctlError(f"--cluster {self._address}: the scheduler has no workers; start some with "
                              f"`dask worker {self._address} --nthreads 1`") from None  # fmt: skip

    def _need_same(self) -> None:
        """Each worker's program, before anything is computed; those that come later are asked with each chunk."""
        mine = program()
        for worker, theirs in self._client.run(asked()).items():
            if theirs != mine:
                raise OtherProgram(mine, theirs, f"worker {worker}")

    def count(self) -> int:
        """See Workers."""
        return sum(self._client.nthreads().values())

    def executor(self) -> Executor:
        """See Workers."""
        return self._executor

    def lost(self, error: BaseException) -> bool:
        """See Workers. Dask gives a chunk to another worker by itself, and gives up after some lost ones."""
        from distributed.scheduler import KilledWorker

        if self._client.status != "running":
            raise HilctlError(f"--cluster {self._address}: the connection to the scheduler is lost; what is finished "
                              "is kept, go on with --resume") from error  # fmt: skip
        return isinstance(error, KilledWorker | CancelledError)

    def close(self) -> None:
        """See Workers."""
        self._client.close(timeout=2)


def _last(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[-1][:160]
