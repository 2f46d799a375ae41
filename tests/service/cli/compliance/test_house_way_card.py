"""The printed House Way: every rule and every kind of deal, nothing from elsewhere."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from engine.books.house_ways import get, known_ids
from engine.game.hands import Hand
from engine.game.setting import Deal, Setting, all_deals
from engine.game.tiles import Kind
from engine.house_way import HouseWay, Source, rule
from engine.house_way.rules import Settings
from service.web.house_way_card import blocks, render_card, rules_on_card

BOOKS = known_ids()


class Page(HTMLParser):
    """The text of a page, its cells, and whatever it would fetch."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.cells: list[str] = []
        self.fetched: list[str] = []
        self.opened: list[str] = []
        self._in_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.opened.append(tag)
        self._in_cell = tag == "td" and (given.get("class") or "").startswith("on")
        for name in ("src", "href", "srcset", "data"):
            if given.get(name) and not (given[name] or "").startswith("#"):
                self.fetched.append(given[name] or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._in_cell:
            self.cells.append(data)
            self._in_cell = False

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module", params=BOOKS)
def printed(request: pytest.FixtureRequest) -> tuple[HouseWay, str]:
    way = get(request.param)
    return way, render_card(way)


def test_title_revision_and_fingerprint(printed: tuple[HouseWay, str]) -> None:
    way, html = printed
    text = Page(html).text
    for part in (way.source.title, way.source.revision, way.source.sha256, f"these {len(way.rules)} rules"):
        assert part in text


def test_every_rule_with_citation_rulings_and_deals_in_order(printed: tuple[HouseWay, str]) -> None:
    way, html = printed
    text = Page(html).text
    at = 0
    for on_card in rules_on_card(way):
        asked = on_card.rule
        rulings = f" read under ruling{'s' * (len(asked.rulings) > 1)} {', '.join(map(str, asked.rulings))}"
        part = f"{asked.cite.section} decides {on_card.decides:,} deals{rulings if asked.rulings else ''} {asked.text}"
        assert part in text[at:], part
        at = text.index(part, at) + len(part)


def test_one_or_two_examples_that_the_rule_decides(printed: tuple[HouseWay, str]) -> None:
    way, html = printed
    on_card = rules_on_card(way)
    assert sum(each.decides for each in on_card) == 35_960
    for each in on_card:
        assert 1 <= len(each.examples) <= 2
        assert all(decision.rule is each.rule for decision in each.examples)
        assert len({decision.deal.kinds for decision in each.examples}) == len(each.examples)
    examples = sum(len(each.examples) for each in on_card)
    assert html.count('<figure class="lay">') == examples
    # Two upright and two lying tiles an example; four more explain the table, one heads each of its sections.
    assert html.count('class="tile"') == 2 * examples + 4
    assert html.count('class="tile lying"') == 2 * examples + len({block.first for block in blocks(way)})


def test_the_table_sets_every_kind_of_deal_once_the_house_way(printed: tuple[HouseWay, str]) -> None:
    way, html = printed
    cells = [cell for block in blocks(way) for row in block.rows for cell in row.cells]
    assert len(cells) == 3620
    assert {cell.kinds for cell in cells} == {deal.kinds for deal in all_deals()}
    assert Page(html).cells == [cell.high for cell in cells]
    high = {cell.kinds: cell.high for cell in cells}
    for deal in all_deals():
        one, other = (deal.tiles[int(place) - 1] for place in high[deal.kinds])
        rest = list(deal.tiles)
        rest.remove(one)
        rest.remove(other)
        assert Setting(Hand.of(rest), Hand(one, other)).ranks == way.table[deal].ranks


def test_rows_and_columns_lead_to_their_cell(printed: tuple[HouseWay, str]) -> None:
    way, _ = printed
    for block in blocks(way):
        for row in block.rows:
            columns = block.columns[row.before :]
            assert len(columns) == len(row.cells)
            for column, cell in zip(columns, row.cells, strict=True):
                assert cell.kinds == (block.first, block.second, row.third, column)


def test_the_page_needs_nothing_else(printed: tuple[HouseWay, str]) -> None:
    _, html = printed
    page = Page(html)
    assert page.fetched == []
    assert not {"script", "link", "img", "iframe", "object"} & set(page.opened)
    assert not re.search(r"https?://|url\(|@import", html)
    assert len(html) < 500_000


def test_every_drawn_tile_is_among_the_symbols(printed: tuple[HouseWay, str]) -> None:
    _, html = printed
    drawn = set(re.findall(r'<use href="#(tile-\d-\d)"/>', html))
    assert drawn <= set(re.findall(r'<g id="(tile-\d-\d)">', html))
    assert len(drawn) == 21


def test_the_remedies_are_printed() -> None:
    assert "if the bank's tiles have been put away (crown-6.1 12.5)" in Page(render_card(get("crown-6.1"))).text
    assert "When a hand lies otherwise" not in render_card(replace(get("crown-6.1"), irregularities=None))


def test_a_word_of_the_book_is_explained() -> None:
    """N Appendix 4, 1, and ruling 10."""
    text = Page(render_card(get("nz-1998"))).text
    assert "Harmony 3: three points with a tile ranked High 4 or above" in text
    assert "(nz-1998 Appendix 4: 1, read under ruling 10)." in text


GUIDE = Source("test", "Test <Casino>", revision="1")


def test_a_way_that_looks_at_faces_is_printed_by_face() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def by_face(deal: Deal, settings: Settings) -> Settings | None:
        """With the 6-3 & any other <tiles> the high hand is made as good as it can be, else the low hand."""
        nine = "6-3" in map(str, deal.tiles)
        best = max(setting.ranks[::-1] if nine else setting.ranks for setting in settings)
        return tuple(setting for setting in settings if (setting.ranks[::-1] if nine else setting.ranks) == best)

    way = HouseWay(source=GUIDE, rules=(by_face,))
    html = render_card(way)
    page = Page(html)
    starred = [cell for block in blocks(way) for row in block.rows for cell in row.cells if cell.high == "*"]
    assert starred
    assert all(Kind.NINE in cell.kinds for cell in starred)
    deals = [deal for deal in all_deals() if deal.kinds == starred[0].kinds]
    assert all(f"{deal}: {way.table[deal]}" in page.text for deal in deals)
    assert "Test <Casino>" in page.text
    assert "<Casino>" not in html
    assert "not given" in page.text
