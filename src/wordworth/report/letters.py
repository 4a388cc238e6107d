"""Any text as pdfLaTeX sets it, in plain ASCII: what has no letter in its fonts is spelled by its number."""

import unicodedata

from wordworth.visible import visible

_LETTERS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "`": r"\textasciigrave{}"}
_LETTERS |= {character: f"\\{character}" for character in "&%$#_{}"}
_LETTERS |= {"[": "{[}", "*": "{*}"}  # behind the end of a row they would be its arguments
_LETTERS |= {"<": "$<$", ">": "$>$", "|": "$|$", '"': "{''}"}  # other characters in the fonts that TeX begins with
_LETTERS |= {"‘": "`", "’": "'", "“": "``", "”": "''", "–": r"\textendash{}", "…": r"\dots{}", "\u00a0": "~"}
_LETTERS |= {"—": r"\textemdash{}"}
_LETTERS |= {"†": r"$^\dagger$", "‡": r"$^\ddagger$", "§": r"\S{}", "°": r"$^\circ$", "\u2009": r"\,", "\u202f": r"\,"}
_LETTERS |= {"ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}"}
_LETTERS |= {"ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "Þ": "Th"}
_MATHS = {"−": "-", "·": r"\cdot", "×": r"\times", "±": r"\pm", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx"}
_MATHS |= {"→": r"\to", "←": r"\gets", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "↑": r"\uparrow"}
_MATHS |= {"↓": r"\downarrow", "∪": r"\cup", "∩": r"\cap", "∈": r"\in", "∞": r"\infty", "√": r"\surd", "Σ": r"\Sigma"}
_MATHS |= {"‖": r"\|", "∼": r"\sim", "²": "^2", "³": "^3", "¹": "^1", "½": r"\frac{1}{2}", "¬": r"\neg", "∑": r"\sum"}
_MATHS |= {chr(0x2080 + digit): f"_{digit}" for digit in range(10)} | {chr(0x2070 + d): f"^{d}" for d in range(4, 10)}
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau "
_GREEK += "upsilon phi chi psi omega"
_CAPITALS = {"Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Φ": "Phi", "Ψ": "Psi"}
_CAPITALS |= {"Ω": "Omega", "Υ": "Upsilon"}
_MATHS |= {chr(0x3B1 + at): "o" if name == "omicron" else f"\\{name}" for at, name in enumerate(_GREEK.split())}
_MATHS |= {letter: f"\\{name}" for letter, name in _CAPITALS.items()}
_MATHS |= dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", ("\\mathrm{" + letter + "}" for letter in "ABEZHIKMNOPTX"), strict=True))
_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r", "\u030c": "v"}
_ACCENTS |= {"\u0306": "u", "\u0304": "=", "\u0307": ".", "\u030b": "H", "\u0327": "c", "\u0323": "d", "\u0331": "b"}
_CYRILLIC = {"а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "j"}
_CYRILLIC |= {"к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u"}
_CYRILLIC |= {"ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "'", "ы": "y", "ь": "'", "э": "e"}
_CYRILLIC |= {"ю": "yu", "я": "ya", "і": "i", "ї": "yi", "є": "ye", "ґ": "g", "ё": "yo", "ў": "w", "ј": "j"}


def latex_text(text: str) -> str:
    """The text, safe in a cell, a caption or a heading."""
    return "".join(map(_letter, unicodedata.normalize("NFC", visible(text)))).replace("--", "-{}-")


def spelled(text: str) -> list[str]:
    """The characters of a text that are spelled by their numbers."""
    return [one for one in dict.fromkeys(unicodedata.normalize("NFC", visible(text))) if _letter(one) == _number(one)]


def _number(character: str) -> str:
    return f"(U+{ord(character):04X})"


def _letter(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    if character in _MATHS:
        return f"${_MATHS[character]}$"
    if character.isascii():
        return character
    lower = character.lower()
    if lower in _CYRILLIC:
        return _CYRILLIC[lower].capitalize() if character != lower else _CYRILLIC[lower]
    base, *marks = list(unicodedata.normalize("NFD", character))
    if base.isascii() and base.isalpha() and marks:
        written = rf"\{base}{{}}" if base in "ij" and marks[0] not in "\u0327\u0323\u0331" else base
        for mark in marks:
            written = rf"\{_ACCENTS[mark]}{{{written}}}" if mark in _ACCENTS else written
        return written
    if unicodedata.category(character) == "Cf":  # a joiner, which is not seen
        return ""
    plain = unicodedata.normalize("NFKC", character)  # letters of full width, ligatures
    if plain != character and plain.isascii():
        return "".join(map(_letter, plain))
    return _number(character)
