"""The reference firmware: a portable core in C, thin boards, and how to build and run those that live on a PC."""
