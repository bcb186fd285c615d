"""Parses the source of an expression into a tree.

Errors are those of the API server's generated parser: extraneous input, missing input, or
mismatched input.
"""

from typing import Final

from kubewright.apiserver.cel.celtype import RESERVED
from kubewright.apiserver.cel.errors import CompileError, Issue, nowhere
from kubewright.apiserver.cel.expression import (
    Call,
    Entry,
    Expression,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Message,
    Select,
)
from kubewright.apiserver.cel.lexer import EOF, Token, bytes_value, string_value, tokenize
from kubewright.apiserver.cel.macros import MacroError, expand
from kubewright.apiserver.cel.values import UInt

_LONGEST_SOURCE: Final = 100_000
_DEEPEST: Final = 250
_TOO_DEEP: Final = f"expression recursion limit exceeded: {_DEEPEST}"
_INT_BOUND: Final = 2**63
_UINT_BOUND: Final = 2**64

# The order in which the server lists expected tokens.
_LISTED: Final = (
    *("[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "true", "false", "null"),
    *("NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER"),
)
_STARTS: Final = frozenset(_LISTED) - {"]", "}", ")", ",", "?", ":"}
_RELATIONS: Final = {"<", "<=", ">", ">=", "==", "!=", "in"}
_PRECEDENCE: Final = {
    **dict.fromkeys(_RELATIONS, 1),
    **dict.fromkeys("+-", 2),
    **dict.fromkeys("*/%", 3),
}
_OPERATORS: Final = {"in": "@in"}
_GOES_ON: Final = frozenset(_PRECEDENCE) | {"&&", "||", "?", ".", "["}


class _Hopeless(Exception):  # noqa: N818  # it stops the parser, and callers never see it
    """The parser cannot recover from a syntax error."""


def parse(source: str) -> Expression:
    """Return the tree of *source*, with macros expanded.

    Raises:
        CompileError: It is not a CEL expression.
    """
    if len(source) > _LONGEST_SOURCE:
        text = f"expression code point size exceeds limit: size: {len(source)}"
        raise CompileError(source, [nowhere(f"{text}, limit {_LONGEST_SOURCE}")])
    tokens, issues = tokenize(source)
    parser = _Parser(source, tokens, issues)
    try:
        tree = parser.parse_whole()
    except RecursionError:
        raise CompileError(source, [nowhere(_TOO_DEEP)]) from None
    if issues or tree is None:
        raise CompileError(source, issues)
    return tree


class _Parser:
    """Reads tokens from left to right, one method for each rule of the grammar."""

    def __init__(self, source: str, tokens: list[Token], issues: list[Issue]) -> None:
        self.source = source
        self.tokens = tokens
        self.issues = issues
        self.index = 0
        self.token = tokens[0]
        self.depth = 0
        self.ends = [frozenset({EOF})]  # the tokens that may follow each open expression

    def parse_whole(self) -> Expression | None:
        """Parse the whole source, or record why that fails."""
        try:
            tree = self.parse_expression()
            self._expect(EOF, frozenset())
        except _Hopeless:
            return None
        return tree

    # Advancing, and reporting errors.

    def _advance(self) -> Token:
        token = self.token
        if token.kind != EOF:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def _next(self) -> Token:
        return self.tokens[min(self.index + 1, len(self.tokens) - 1)]

    def _accept(self, kind: str) -> Token | None:
        return self._advance() if self.token.kind == kind else None

    def _expect(self, kind: str, follow: frozenset[str]) -> Token:
        """Consume a token of *kind* or report what is there instead; *follow* may come after it."""
        if self.token.kind == kind:
            return self._advance()
        shown = kind if kind in {EOF, "IDENTIFIER"} else f"'{kind}'"
        if self._next().kind == kind and self.token.kind != EOF:
            self._complain(f"extraneous input '{self.token.text}' expecting {shown}")
            self._advance()
            return self._advance()
        if self.token.kind in follow:
            self._complain(f"missing {shown} at '{self.token.text}'")
            return self.token
        raise self._mismatch(shown)

    def _need_start(self, *others: str) -> None:
        """Make sure that an expression, or one of *others*, comes next."""
        wanted = _STARTS | set(others)
        if self.token.kind in wanted:
            return
        shown = _listed(wanted)
        if self._next().kind in wanted and self.token.kind != EOF:
            self._complain(f"extraneous input '{self.token.text}' expecting {shown}")
            self._advance()
            return
        raise self._mismatch(shown)

    def _mismatch(self, shown: str) -> _Hopeless:
        self._complain(f"mismatched input '{self.token.text}' expecting {shown}")
        return _Hopeless()

    def _complain(self, text: str) -> None:
        self.issues.append(Issue(self.token.offset, f"Syntax error: {text}"))

    def _refuse(self, offset: int, text: str) -> Expression:
        """Record an error that does not stop the parser."""
        self.issues.append(Issue(offset, text))
        return Literal(offset, None)

    def _check_depth(self, depth: int) -> None:
        if depth > _DEEPEST:
            # No other issue matters for such an expression.
            self.issues[:] = [nowhere(_TOO_DEEP)]
            raise _Hopeless

    # The grammar.

    def parse_expression(self, *others: str) -> Expression:
        """Parse ``condition ? a : b``, or an expression of higher precedence."""
        self.depth += 1
        self._check_depth(self.depth)
        self._need_start(*others)
        condition = self._parse_logical("||")
        if self.token.kind == "?":
            condition = self._parse_ternary(condition)
        self.depth -= 1
        return condition

    def _parse_within(self, ends: str, *others: str) -> Expression:
        """Parse an expression between delimiters, which ends before one of *ends*."""
        self.ends.append(frozenset(ends))
        found = self.parse_expression(*others)
        self.ends.pop()
        return found

    def _expect_closing(self, kind: str) -> None:
        self._expect(kind, _GOES_ON | self.ends[-1])

    def _parse_ternary(self, condition: Expression) -> Expression:
        mark = self._advance()
        self._need_start()
        self.ends.append(frozenset(":"))
        first = self._parse_logical("||")
        self.ends.pop()
        self._expect(":", _STARTS)
        return Call(mark.offset, "_?_:_", [condition, first, self.parse_expression()])

    def _parse_logical(self, operator: str) -> Expression:
        """Parse a chain of one logical operator into a single call, however long it is."""
        first = self._parse_operand_of(operator)
        if self.token.kind != operator:
            return first
        offset, terms = self.token.offset, [first]
        while self._accept(operator):
            self._need_start()
            terms.append(self._parse_operand_of(operator))
        return Call(offset, f"_{operator}_", terms)

    def _parse_operand_of(self, operator: str) -> Expression:
        return self._parse_logical("&&") if operator == "||" else self._parse_binary(1)

    def _parse_binary(self, lowest: int) -> Expression:
        left, chain = self._parse_unary(), 0
        while (precedence := _PRECEDENCE.get(self.token.kind, 0)) >= lowest:
            chain += 1
            self._check_depth(chain)
            mark = self._advance()
            self._need_start()
            right = self._parse_binary(precedence + 1)
            function = _OPERATORS.get(mark.kind, f"_{mark.kind}_")
            left = Call(mark.offset, function, [left, right])
        return left

    def _parse_unary(self) -> Expression:
        mark = self.token
        if mark.kind == "-":
            return self._parse_negation(mark)
        if mark.kind != "!":
            return self._parse_member()
        odd = self._odd_number_of("!")
        if self.token.kind not in _STARTS:
            self._complain(f"extraneous input '{self.token.text}' expecting {_listed(_STARTS)}")
            self._advance()
            if self.token.kind not in _STARTS:
                raise _Hopeless
        operand = self._parse_member() if self.token.kind != "-" else self._parse_unary()
        return Call(mark.offset, "!_", [operand]) if odd else operand

    def _parse_negation(self, mark: Token) -> Expression:
        if self._next().kind in {"NUM_INT", "NUM_FLOAT"}:
            return self._parse_member()
        odd = self._odd_number_of("-")
        if self.token.kind == "!" or self.token.kind not in _STARTS:
            self._complain_of_no_alternative(self.tokens[self.index - 1])
            if self.token.kind != "!":
                self._need_start()
            raise _Hopeless
        operand = self._parse_member()
        return Call(mark.offset, "-_", [operand]) if odd else operand

    def _odd_number_of(self, kind: str) -> bool:
        count = 0
        while self._accept(kind):
            count += 1
        return count % 2 == 1

    def _complain_of_no_alternative(self, start: Token) -> None:
        end = self.token.offset + (0 if self.token.kind == EOF else len(self.token.text))
        text = self.source[start.offset : end]
        if self.token.kind in {"true", "false", "null"} and len(text) == len(self.token.text) + 1:
            self._complain(f"mismatched input '{self.token.text}' expecting IDENTIFIER")
        else:
            self._complain(f"no viable alternative at input '{text}'")

    def _parse_member(self) -> Expression:
        operand, chain = self._parse_primary(), 0
        while self.token.kind in {".", "["}:
            chain += 1
            self._check_depth(chain)
            operand = (
                self._parse_selection(operand)
                if self.token.kind == "."
                else self._parse_index(operand)
            )
        return operand

    def _parse_selection(self, operand: Expression) -> Expression:
        dot = self._advance()
        optional = self._accept("?")
        if self.token.kind not in {"IDENTIFIER", "ESC_IDENTIFIER"}:
            self._complain_of_no_alternative(dot)
            raise _Hopeless
        name = self._advance()
        if optional:
            field = Literal(name.offset, name.text.strip("`"))
            return Call(dot.offset, "_?._", [operand, field])
        if name.kind == "IDENTIFIER" and self.token.kind == "(":
            opening = self._advance()
            return self._parse_call(opening, name.text, target=operand)
        return Select(dot.offset, operand, name.text.strip("`"))

    def _parse_index(self, operand: Expression) -> Expression:
        bracket = self._advance()
        optional = self._accept("?")
        key = self._parse_within("]") if optional else self._parse_within("]", "?")
        self._expect_closing("]")
        return Call(bracket.offset, "_[?_]" if optional else "_[_]", [operand, key])

    def _parse_call(
        self, opening: Token, name: str, target: Expression | None = None
    ) -> Expression:
        args: list[Expression] = []
        if not self._accept(")"):
            self._need_start(")")
            args.append(self._parse_within("),"))
            while self._accept(","):
                args.append(self._parse_within("),"))
            self._expect_closing(")")
        call = Call(opening.offset, name, args, target)
        try:
            return expand(call) or call
        except MacroError as error:
            return self._refuse(error.offset, error.text)

    def _parse_primary(self) -> Expression:
        token = self.token
        if token.kind in {"IDENTIFIER", "."}:
            return self._parse_name()
        if token.kind == "(":
            self._advance()
            inner = self._parse_within(")")
            self._expect_closing(")")
            return inner
        if token.kind == "[":
            return self._parse_list()
        if token.kind == "{":
            opening = self._advance()
            return MapLiteral(opening.offset, self._parse_entries())
        return self._parse_literal()

    def _parse_name(self) -> Expression:
        start = self.token
        dot = self._accept(".")
        if self.token.kind != "IDENTIFIER":
            self._complain_of_no_alternative(start)
            raise _Hopeless
        if self._is_message():
            return self._parse_message("." if dot else "")
        name = self._advance()
        if name.text in RESERVED:
            self._refuse(start.offset, f"reserved identifier: {name.text}")
        full = f".{name.text}" if dot else name.text
        if self.token.kind == "(":
            return self._parse_call(self._advance(), full)
        return Ident(name.offset, full)

    def _is_message(self) -> bool:
        index = self.index + 1
        while [token.kind for token in self.tokens[index : index + 2]] == [".", "IDENTIFIER"]:
            index += 2
        return self.tokens[index].kind == "{"

    def _parse_message(self, prefix: str) -> Expression:
        name = prefix
        while self.token.kind != "{":
            name += self._advance().text
        return Message(self._advance().offset, name, self._parse_entries(fields=True))

    def _parse_list(self) -> Expression:
        opening = self._advance()
        items: list[Expression] = []
        optional: set[int] = set()
        if not self._accept_empty("]"):
            self._parse_item(items, optional)
            while self._accept(","):
                if self.token.kind == "]":
                    break
                self._parse_item(items, optional)
            self._close("]")
        return ListLiteral(opening.offset, items, frozenset(optional))

    def _parse_item(self, items: list[Expression], optional: set[int]) -> None:
        others = () if items else ("]", ",", "?")
        if self._accept("?"):
            optional.add(len(items))
            others = ()
        items.append(self._parse_within("],", *others))

    def _accept_empty(self, close: str) -> bool:
        if self.token.kind == "," and self._next().kind == close:
            self._advance()
        return self._accept(close) is not None

    def _close(self, close: str) -> None:
        """Consume the end of a list or map, where a comma would also be valid."""
        if self._accept(close):
            return
        shown = f"{{'{close}', ','}}"
        if self._next().kind == close and self.token.kind != EOF:
            self._complain(f"extraneous input '{self.token.text}' expecting {shown}")
            self._advance()
            self._advance()
            return
        raise self._mismatch(shown)

    def _parse_entries(self, *, fields: bool = False) -> list[Entry]:
        entries: list[Entry] = []
        if self._accept_empty("}"):
            return entries
        entries.append(self._parse_entry(fields=fields, first=True))
        while self._accept(","):
            if self.token.kind == "}":
                break
            entries.append(self._parse_entry(fields=fields, first=False))
        self._close("}")
        return entries

    def _parse_entry(self, *, fields: bool, first: bool) -> Entry:
        optional = self._accept("?") is not None
        if fields:
            name = self.token
            if name.kind != "ESC_IDENTIFIER":
                self._expect("IDENTIFIER", frozenset({":"}))
            else:
                self._advance()
            key: Expression = Literal(name.offset, name.text.strip("`"))
        else:
            key = self._parse_within(":", *(("}", ",", "?") if first and not optional else ()))
        colon = self._expect(":", _STARTS)
        return Entry(colon.offset, key, self._parse_within("},"), optional)

    def _parse_literal(self) -> Expression:  # noqa: PLR0911  # one answer for each kind
        start = self.token
        negative = self._accept("-") is not None
        token = self._advance()
        match token.kind:
            case "NUM_INT":
                return self._parse_int(start.offset, token.text, negative=negative)
            case "NUM_UINT":
                number = _number(token.text[:-1])
                if number >= _UINT_BOUND:
                    return self._refuse(start.offset, "invalid uint literal")
                return Literal(start.offset, UInt(number))
            case "NUM_FLOAT":
                double = float(token.text)
                if double == float("inf"):
                    return self._refuse(start.offset, "invalid double literal")
                return Literal(start.offset, -double if negative else double)
            case "STRING" | "BYTES":
                return self._parse_text(token)
            case "true" | "false":
                return Literal(start.offset, token.kind == "true")
            case "null":
                return Literal(start.offset, None)
        self.index = max(self.index - 1, 0)
        self.token = token
        raise self._mismatch(_listed(_STARTS))

    def _parse_int(self, offset: int, text: str, *, negative: bool) -> Expression:
        number = -_number(text) if negative else _number(text)
        if not -_INT_BOUND <= number < _INT_BOUND:
            return self._refuse(offset, "invalid int literal")
        return Literal(offset, number)

    def _parse_text(self, token: Token) -> Expression:
        try:
            value = string_value(token.text) if token.kind == "STRING" else bytes_value(token.text)
        except ValueError as error:
            return self._refuse(token.offset, str(error))
        return Literal(token.offset, value)


def _number(digits: str) -> int:
    if digits.startswith("0x"):
        return int(digits, 16)
    return int(digits) if len(digits) < 100 else _UINT_BOUND  # noqa: PLR2004  # more digits than any number that fits


def _listed(kinds: frozenset[str]) -> str:
    names = [name if name[0].isupper() else f"'{name}'" for name in _LISTED if name in kinds]
    return "{" + ", ".join(names) + "}"
