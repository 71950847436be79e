"""Where work in parts is computed: --workers here, or --cluster."""

import argparse
from typing import TYPE_CHECKING

from hilctl.cli.arguments import count
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.study.spread import Workers


def options(where: "argparse._ActionsContainer") -> None:
    """Both."""
    where.add_argument("--workers", type=count(1, 1024), default=None, metavar="N",
                       help="processes on this machine (default: its processors)")  # fmt: skip
    where.add_argument("--cluster", default="", metavar="ADDRESS", help="the workers of this Dask scheduler instead")


def chosen(given: argparse.Namespace) -> "Workers":
    """The workers that were asked for."""
    if given.cluster and given.workers is not None:
        raise WrongUse("--workers is for this machine; a cluster has the workers that were started for it")
    if given.cluster:
        from hilctl.study.cluster import Cluster

        return Cluster(given.cluster)
    from hilctl.study.spread import Local, processors

    return Local(given.workers or processors())
