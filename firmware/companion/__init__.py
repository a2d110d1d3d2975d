"""The companion: shows the public state of the table on televisions, phones and overlays.

It is a separate process (decision 0046). ``table_link`` reads the table's local socket, and
``server`` sends what it reads to pages; ``static`` is the page. docs/outlet.md describes the lines
on the socket. This room may import the standard library, aiohttp, ``voice.words``, ``web`` and
``common``, but not the outlet, the journal, the table or a driver.
"""
