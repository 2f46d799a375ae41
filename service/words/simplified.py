"""Simplified Chinese, generated from the catalogues in Traditional Chinese: ``make languages``.

OpenCC, a development dependency, converts characters; this module replaces words that differ on the mainland.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

import opencc
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from service.words.languages import LOCALE, catalogue_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE: Final = "zh-Hant"
MADE: Final = "zh-Hans"
_HEADER: Final = f"# Simplified Chinese, made of {SOURCE}.po by `make languages`: change that file."
_MAINLAND: Final = {
    "帐户": "账户",
    "影像": "图像",
    "设定": "设置",
    "伺服器": "服务器",
    "档案": "文件",
    "程式": "程序",
    "程序": "进程",
    "资料库": "数据库",
    "资讯": "信息",
    "资料夹": "文件夹",
    "资料": "数据",
    "连线": "连接",
    "公开金钥": "公钥",
    "金钥": "密钥",
    "杂凑值": "哈希值",
    "杂凑": "哈希",
    "登入": "登录",
    "登出": "退出",
    "位址": "地址",
    "汇出": "导出",
    "执行": "运行",
    "支援": "支持",
    "拖曳": "拖动",
    "摄影机": "摄像机",
    "磁碟": "磁盘",
    "字元": "字符",
    "影片": "视频",
    "装置": "设备",
    "唯读": "只读",
    "搜寻": "搜索",
    "点选": "点击",
    "记忆体": "内存",
    "埠": "端口",
    "\u300c": "\u201c",
    "\u300d": "\u201d",
    "纪录": "记录",
    "更次": "班次",
    "交更": "交班",
    "接更": "接班",
    "本更": "本班",
    "此更": "此班",
    "第一更": "第一班",
    "上一更": "上一班",
    "下一更": "下一班",
}
"""Words of Hong Kong in simplified characters, and their mainland equivalents."""
_WORDS: Final = re.compile("|".join(sorted(_MAINLAND, key=len, reverse=True)))


def simplified() -> Iterator[tuple[Path, bytes]]:
    """Yield path and contents of each catalogue in Simplified Chinese."""
    for folder in (LOCALE, LOCALE / "rules"):
        yield folder / f"{MADE}.po", _written(catalogue_of(folder, SOURCE))


def _written(source: Catalog) -> bytes:
    made = Catalog(locale=MADE.replace("-", "_"), header_comment=_HEADER, fuzzy=False)
    made.mime_headers = source.mime_headers
    characters = opencc.OpenCC("hk2s")

    def mainland(text: str) -> str:
        return _WORDS.sub(lambda found: _MAINLAND[found[0]], characters.convert(text))

    for message in source:
        if message.id:
            forms = message.string or ""
            string = mainland(forms) if isinstance(forms, str) else tuple(map(mainland, forms))
            made.add(message.id, string, flags=message.flags)
    out = BytesIO()
    write_po(out, made, width=0, sort_output=True, no_location=True)
    return out.getvalue().rstrip(b"\n") + b"\n"


if __name__ == "__main__":
    for path, text in simplified():
        path.write_bytes(text)
