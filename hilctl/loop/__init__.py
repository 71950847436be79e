"""When it happens: the core process that runs the law on time, and the service's side of the memory they share."""
