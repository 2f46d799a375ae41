"""Through NATS: what is recorded goes into a stream on disk, and the service is asked over the same line."""
