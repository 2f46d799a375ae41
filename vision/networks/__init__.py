"""The ONNX models: their cards, loading, running, and the classifiers of crops."""
