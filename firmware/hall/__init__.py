"""The hall: many tables on one board, with their games stored for good and tournaments.

A table's journal is its outbox: an agent beside the table sends each entry over an MQTT broker, and
the hall answers with how far it has stored, so that neither the broker nor a client's queue need be
trusted. This room may import ``archive``, ``companion`` and the rooms below them, aiomqtt, and
asyncpg for PostgreSQL; nothing in a table's own process imports it.
"""
