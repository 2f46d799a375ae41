"""What can happen in a round: one frozen class for each kind of event, by the part of the round it belongs to.

Players are named by the table; `DEALER` and `HOUSE` (`base`) are nobody's names. Boxes count from 1, counter-clockwise
from the dealer's right. Money is whole numbers of the smallest unit. Events carry no time: the record does.
"""
