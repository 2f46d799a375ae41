"""The HTTP side: routes translate, the engine decides, the live state holds what is now."""
