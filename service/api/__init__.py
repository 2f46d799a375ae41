"""The HTTP side: routes translate, the engine decides, the record remembers."""
