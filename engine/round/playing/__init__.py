"""Rules of play: setting, exposing and matching hands."""
