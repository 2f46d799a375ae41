"""Publishes what the record holds: webhooks, an MQTT broker, the page's event stream."""
