"""Reading recorded rounds again with other models or rules: a report of what would have been decided otherwise.

Nothing that was recorded changes. Each round of a run is a row of the floor's database, which is its job and becomes
its result; workers on any number of machines take them.
"""
