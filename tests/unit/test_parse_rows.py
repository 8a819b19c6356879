"""JSON, CSV and JSON Lines: fields and rows."""

from datetime import UTC, datetime

import pytest

from beacon.errors import InputError
from beacon.ingest.conversation import read_conversation
from beacon.ingest.parse import parse_bytes
from beacon.ingest.rows import parse_rows
from beacon.ingest.when import day_comes_first, read_date


def test_every_json_scalar_is_a_line_and_a_field() -> None:
    doc = parse_bytes(b'{"a": {"b": [1, 2.50]}, "c": "x\\ny", "d": null, "e": ""}', name="x.json")
    assert doc.text.split("\n") == ["a.b.0: 1", "a.b.1: 2.50", "c: x y", "d: null"]
    assert [block.path for block in doc.blocks] == [("a", "b", "0"), ("a", "b", "1"), ("c",), ("d",)]


def test_a_table_read_as_one_document_has_a_block_a_row() -> None:
    doc = parse_bytes(b"name,fee\nSmall,10\nLarge,90\n", name="x.csv")
    assert [doc.text[block.start : block.end] for block in doc.blocks] == ["name: Small | fee: 10", "name: Large | fee: 90"]


def test_columns_are_found_by_name() -> None:
    data = b"Ticket ID,Created At,Subject,Description,Plan,User,Browser\n7,2025-01-02,Slow map,It takes a minute.,Pro,u1,Firefox\n"
    row = parse_rows(data, name="x.csv").rows[0]
    assert (row.id, row.title, row.document.text) == ("7", "Slow map", "It takes a minute.")
    assert (row.date, row.segment, row.participant) == (datetime(2025, 1, 2, tzinfo=UTC), "Pro", "u1")
    assert row.metadata == {"Browser": "Firefox"}


def test_the_question_is_the_heading_of_the_answer_not_its_text() -> None:
    row = parse_rows(b'{"id": "a", "question": "What is missing?", "answer": "Maps."}\n', name="x.jsonl").rows[0]
    assert (row.document.text, row.document.blocks[0].path) == ("Maps.", ("What is missing?",))


def test_the_users_mapping_wins() -> None:
    row = parse_rows(b"text,What else?\nignored,Much more\n", name="x.csv", mapping={"text": "What else?"}).rows[0]
    assert row.document.text.startswith("Much more")


@pytest.mark.parametrize("mapping", [{"text": "nowhere"}, {"colour": "text"}])
def test_a_mapping_that_fits_nothing_is_an_input_error(mapping: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"nowhere|colour"):
        parse_rows(b"text\nhello\n", name="x.csv", mapping=mapping)


def test_without_a_text_column_every_column_is_a_field() -> None:
    doc = parse_rows(b"How old?,Which map?\n41,The blue one\n", name="x.csv").rows[0].document
    assert doc.text == "How old?: 41\nWhich map?: The blue one"
    assert doc.blocks[1].path == ("Which map?",)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(separator: str) -> None:
    lines = [("id", "text"), ("1", "Good"), ("2", "Bad")]
    data = "\n".join(separator.join(line) for line in lines).encode()
    assert [row.document.text for row in parse_rows(data, name="x.csv").rows] == ["Good", "Bad"]


def test_a_mark_and_quoted_line_breaks_are_understood() -> None:
    rows = parse_rows('\ufeffid,text\r\n1,"one\r\n\r\ntwo, ""three"""\r\n2,four\r\n'.encode(), name="x.csv").rows
    assert [(row.id, row.document.text, row.line) for row in rows] == [("1", 'one\n\ntwo, "three"', 2), ("2", "four", 5)]


def test_bad_csv_rows_are_reported_with_their_line_and_the_rest_is_read() -> None:
    reading = parse_rows(b'id,text\n1,good\n2,too,many\n3,"never closed\n4,fine\n5,\n', name="x.csv")
    assert [row.id for row in reading.rows] == ["1", "4"]
    assert [problem.row for problem in reading.problems] == [3, 4, 6]


def test_bad_json_lines_are_reported_with_their_line_and_the_rest_is_read() -> None:
    reading = parse_rows(b'{"id": 1, "text": "a"}\n{"id": 2,\n[1]\n{"id": 3, "text": "b"}\n', name="x.jsonl")
    assert [row.id for row in reading.rows] == ["1", "3"]
    assert [problem.row for problem in reading.problems] == [2, 3]


def test_rows_without_ids_get_the_same_id_wherever_they_stand() -> None:
    first = parse_rows(b"text\nalpha\nbeta\n", name="x.csv").rows
    second = parse_rows(b"text\nnew\nbeta\nalpha\n", name="x.csv").rows
    assert {row.document.text: row.id for row in first}.items() <= {row.document.text: row.id for row in second}.items()


def test_one_id_on_two_different_answers_keeps_both() -> None:
    rows = parse_rows(b"id,text\n1,alpha\n1,beta\n", name="x.csv").rows
    assert len({row.id for row in rows}) == 2


def test_a_row_repeated_to_the_letter_is_read_once() -> None:
    reading = parse_rows(b"id,text\n1,alpha\n1,alpha\n", name="x.csv")
    assert (len(reading.rows), reading.problems[0].row) == (1, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-31T13:07:59+02:00", datetime(2024, 1, 31, 11, 7, 59, tzinfo=UTC)),
        ("1/31/2024 1:07:59 PM", datetime(2024, 1, 31, 13, 7, 59, tzinfo=UTC)),
        ("2024/03/21 12:05:19 AM AST", datetime(2024, 3, 21, 0, 5, 19, tzinfo=UTC)),
        ("31.01.2024", datetime(2024, 1, 31, tzinfo=UTC)),
        ("January 5, 2024", datetime(2024, 1, 5, tzinfo=UTC)),
        ("1706706479", datetime(2024, 1, 31, 13, 7, 59, tzinfo=UTC)),
        ("Wed, 31 Jan 2024 13:07:59 GMT", datetime(2024, 1, 31, 13, 7, 59, tzinfo=UTC)),
        ("01/02/2024", None),
        ("2024-02-30", None),
        ("31/02/2024", None),
        ("soon", None),
    ],
)
def test_dates_are_read_as_exports_write_them(text: str, expected: datetime | None) -> None:
    assert read_date(text) == expected


def test_one_clear_date_tells_the_order_of_its_column() -> None:
    assert (day_comes_first(["01/02/2024", "25/02/2024"]), day_comes_first(["01/02/2024", "02/25/2024"])) == (True, False)


def test_a_conversation_is_its_turns_and_its_bad_lines() -> None:
    first = b'{"id": "1", "conversation": "c", "speaker": "Ann", "text": "Hi", "at": "2025-01-01T10:00:00Z"}\n'
    lines = first + b'{"id": "1", "text": "again"}\n{}\noops\n'
    reading = read_conversation(lines, "talk.jsonl")
    assert [(turn.speaker, turn.text, turn.at) for turn in reading.turns] == [("Ann", "Hi", datetime(2025, 1, 1, 10, tzinfo=UTC))]
    assert [problem.row for problem in reading.problems] == [2, 3, 4]
