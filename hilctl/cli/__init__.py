"""The command line. Each verb is filled in by the file of its group, loaded only when the verb is used."""
