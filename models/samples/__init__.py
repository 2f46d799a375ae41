"""Training samples drawn from the bank: windows with heat maps for the detector, crops for the classifiers."""
