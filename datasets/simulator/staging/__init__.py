"""A round played by its rulebook and set in motion: course, mistakes, animation, disturbances."""
