"""The outlet: typed events for other programs, such as the page that shows the mat in a browser.

The table's main loop puts the events into a bounded queue. A *client* is a program that reads the
queue. It gets the events by sequence number, and can neither delay nor stop the table. This room
may import the table's events, the journal, the views and the announcer, but no clock or socket.
"""
