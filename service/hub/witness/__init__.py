"""The floor as the witness of all its tables: it co-signs checkpoints of what it holds, keeps and gives them back.

The signatures are those of C2SP ``tlog-cosignature``, as of any witness, with a key of its own (see
``service.record.checkpoints.witness_book``).
"""
