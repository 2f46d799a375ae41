"""The HTTP side: routes translate, the engine decides, the live remembers."""
