"""Every rule that a page of `docs/rulebooks` lists as implemented is named by a test.

`NOT_YET` are those that none names. It only ever gets shorter: the test fails when there is one more, and
when one that is listed is named.
"""

from __future__ import annotations

import pytest

from engine.rulebooks import BOOKS, rulebook
from service.coverage import coverage

NOT_YET = {
    "crown-6.1": """
        3.1; 3.1.1; 3.1.2; 3.2; 3.3; 4.1; 4.1.1; 4.2; 5.1; 5.2; 5.3; 5.4; 5.5; 8.2; 8.3; 8.3.1; 8.3.2; 8.4; 8.5;
        8.6; 8.8.2; 8.8.3; 8.8.4; 8.11; 8.11.1; 8.11.2; 8.12; 8.13.2; 8.13.3; 8.14.1; 8.14.2; 8.15; 9.3.1; 9.4;
        10.1.1; 10.1.2; 10.1.3; 10.1.4; 10.2.1; 10.2.3; 10.2.3(a); 10.2.4; 10.2.5; 10.2.6; 10.2.8; 10.2.9;
        10.3.1(b); 10.3.1(c)(i); 10.3.1(c)(ii); 10.3.1(d); 10.3.1(e); 10.3.1(f); 10.3.2(a); 10.3.2(b); 10.3.2(c);
        10.3.2(d); 10.3.2(e); 10.3.2(f); 10.3.2(g); 10.3.2(i); 10.3.2(j); 10.3.2(k); 10.3.2(l); 10.3.2(n);
        10.3.2(o); 10.3.3(a); 10.3.3(b); 10.3.3(c); 10.3.3(e); 10.3.3(f); 10.3.3(g); 10.3.3(h); 10.3.3(i);
        10.3.3(j); 11.2; 11.3; 12.1; 12.2.1; 12.2.1(a); 12.2.2; 12.2.2(a); 12.3; 12.4; 12.6; 12.6.1; 12.6.4;
        12.6.5; 12.7; 12.7.1; 12.8; 16.1; 16.2.1; 16.2.2; 16.2.3; 16.3; 16.4; 16.5; 16.11; Appendix 2: Yat Dong
        Dong; Appendix 2: Cup Say; Appendix 2: Chee Yee; Appendix 2: Chee Yee Di Chut; Appendix 2: Jung Quat;
        Appendix 2: Jung Quat Di Chut; Appendix 2: Long Tau; Appendix 2: Fong May; Appendix 2: Wui Fung Bank;
        Appendix 2: Foot Say
    """,
    "nz-1998": "",
    "star-2024": """
        1.1 casino promotional token; 2.2; 2.5.1; 2.5.3; 3.3; 3.3.1; 3.3.2; 3.4; 3.5; 4.1; 6.1; 6.2; 6.3; 6.4;
        6.5; 6.6; 6.7; 6.8; 6.9; 7.1; 7.2; 7.3.1; 7.3.2; 8.1; 8.2; 8.4.6; 9.2; 9.2.1.1; 9.2.1.2; 9.2.2.1; 9.2.2.2;
        9.2.2.3; 9.2.2.4; 9.2.3; 9.3.1.1; 9.3.1.2; 9.3.1.3; 9.3.1.4; 9.3.2.1; 9.3.2.2; 9.3.3; 9.6; 9.7; 9.8;
        9.10.1; 9.10.2; 9.10.3; 9.10.4; 9.13; 9.14; 9.15; 10.2; 10.3; 10.4; 10.6.1; 10.6.4; 10.7; 11.1.1; 11.1.2;
        12.1; 12.3; 12.5; 12.6; 12.8; 12.8.1; 12.9; 12.10; 12.11; 12.12; 12.13; 12.14; 12.16; 12.19; 13.1.1;
        13.1.2; 13.1.3; 13.1.4; 13.1.5; 13.1.6; 13.1.7; 13.1.8; 13.1.9; 13.2.1; 13.2.3; 13.2.4; 13.2.5; 13.2.6;
        13.2.7; 13.2.8; 13.2.9; 14.2.1; 14.2.2; 14.3; 15.1; 15.2; 15.3.1; 15.3.2; 15.4; 15.5; 15.6; 15.9.1;
        15.9.2; 15.9.5; 15.10.1; 15.10.2; 15.14.1; 15.14.2; 15.14.3; 15.15; 15.16; 15.17.1; 15.17.3; 15.18.1;
        15.18.2; 15.19; 15.19.1; 15.19.2; 15.20.1.1; 15.20.1.2; 15.20.2; 15.21.1; 15.21.2; 15.21.3; 16.1; 16.2;
        16.4.1; 16.4.2; 16.5.1; 16.5.2; 16.6; 16.12; 16.14
    """,
    "star-classic": """
        1.1 casino promotional token or voucher; 2.2; 2.3; 2.4.2; 3.3; 3.3.1; 3.3.2; 3.4; 3.5; 6.1; 6.3; 6.4; 6.5;
        6.6; 6.7; 6.8; 7.1; 7.2; 7.3.1; 7.3.2; 7.4; 7.8; 8.1; 9.1.1.1.1; 9.1.1.1.2; 9.1.1.2.1; 9.1.1.2.2;
        9.1.1.2.3; 9.1.1.2.4; 9.1.1.3; 9.1.2.1.1; 9.1.2.1.2; 9.1.2.1.3; 9.1.2.1.4; 9.1.2.2.1; 9.1.2.2.2; 9.1.2.3;
        9.3; 9.4; 9.5; 9.6; 9.7.1; 9.7.2; 9.7.3; 9.7.4; 9.10; 9.11; 9.12; 9.13; 10.3; 10.5; 11.1.1; 11.1.2;
        11.1.3; 12.1; 12.3; 12.5; 12.6; 12.7; 12.8; 12.9; 12.10; 12.11; 12.13; 12.16; 13.1.1; 13.1.2; 13.1.3;
        13.1.4; 13.1.5; 13.1.6; 13.1.7; 13.1.8; 13.1.9; 13.2.1; 13.2.3; 13.2.4; 13.2.5; 13.2.6; 13.2.7; 13.2.8;
        13.2.9; 13.3.1; 13.3.2; 13.3.3; 13.3.4; 13.3.5; 13.3.6; 13.3.7; 13.3.8; 13.3.9; 13.3.10; 13.3.11; 14.2.1;
        14.2.2; 14.2.3; 14.3; 15.1; 15.2; 15.3.1; 15.3.2; 15.4; 15.5; 15.6; 15.8; 15.9; 15.12; 15.13; 15.14;
        15.15; 15.16.1; 15.16.2; 15.16.3; 15.17; 15.18; 16.1; 16.3.1; 16.3.2; 16.4.1; 16.4.2; 16.5; 16.12;
        Appendix 3
    """,
    "uk-poster": "",
}
"""By book; numbers as its contents have them, with semicolons between."""


def test_every_book_has_its_line() -> None:
    assert NOT_YET.keys() == BOOKS.keys()


@pytest.mark.parametrize("book", NOT_YET)
def test_implemented_rules_are_named_by_a_test(book: str) -> None:
    listed = [" ".join(number.split()) for number in NOT_YET[book].split(";") if number.strip()]
    unnamed = [row.rule.number for row in coverage(rulebook(book)).untested]
    assert len(listed) == len(set(listed)), "a number is listed twice"
    assert sorted(set(unnamed) - set(listed)) == [], "implemented, but no test names them: write one"
    assert sorted(set(listed) - set(unnamed)) == [], "a test names these now: take them off the list"
