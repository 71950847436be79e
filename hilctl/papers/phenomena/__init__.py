"""What the friction laws are for, shown: which phenomena of real friction each of them has, computed law by law."""
