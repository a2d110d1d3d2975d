"""The doctor: looks at everything a table needs; one line a check, with a verdict and what to do.

Room: firmware. A check is a function that yields findings; ``examine`` runs them in order: the
computer, its buses, what is stored, the parts, and at last what only somebody's hands can try.
"""
