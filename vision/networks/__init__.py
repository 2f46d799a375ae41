"""The ONNX models: their cards, how they are loaded and run, and what they say of a crop."""
