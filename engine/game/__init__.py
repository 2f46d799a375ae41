"""What the game is played with: tiles, two-tile hands, their ranking, settings of four tiles."""
