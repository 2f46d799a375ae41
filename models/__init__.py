"""Training of the detector and the classifiers; the only place that imports torch."""
