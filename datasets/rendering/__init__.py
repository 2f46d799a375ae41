"""A described scene to a picture: surfaces, props, glass, light and sensor."""
