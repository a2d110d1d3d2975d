"""The table at an MQTT broker: what everybody sees goes out, and a few commands come back.

It is a separate process (decision 0055), which reads the table's local socket as the companion
does, and describes the table to Home Assistant. This room may import the standard library, aiomqtt,
``companion.table_link``, ``config.mqtt_config`` and ``common``, but not the outlet, the journal,
the table or a driver.
"""
