"""What Houseway does, written into a folder, so that two commits can be compared with ``diff -r``.

``python -m tests.frozen OUT`` asks through the command line, HTTP and the pages only; rounds alone are followed as
``tests.service.rounds.followed`` does it.
"""
