"""The checks of ``tapmat doctor``. Each prints one line with a verdict and, if needed, a remedy.

A check is a function that returns findings; a *finding* says what was found about one part, with a
verdict: OK, SKIP, WARN or FAIL. ``Examination`` runs all checks in order: the computer, its buses,
the stored data, the parts, and last the tests that need a person. This room may import ``runtime``
and the rooms below it. It opens the parts, but changes no stored data.
"""
