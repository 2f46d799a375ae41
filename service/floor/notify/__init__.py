"""Telling others what all tables recorded: webhooks and an MQTT broker, as a table has them."""
