"""What programs with psycopg 3 do: server-side binding, pipelines, binary COPY, server cursors, nested transactions."""
import logging
import os

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

# Whether a pipeline notices an error before or after it ends is a matter of time.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

with psycopg.connect("") as connection:
    connection.execute("DROP TABLE IF EXISTS cl_three")
    connection.execute("CREATE TABLE cl_three (id bigint PRIMARY KEY, name text, doc jsonb, tags int[])")
    if os.environ["PLACES"]:
        connection.execute("SELECT create_distributed_table('cl_three', 'id')")
    connection.commit()
    with connection.cursor() as cursor:
        rows = [(i, f"n{i}", Jsonb({"a": i}), [i, i + 1]) for i in range(50)]
        cursor.executemany("INSERT INTO cl_three VALUES (%s, %s, %s, %s) RETURNING id", rows, returning=True)
        given = [cursor.fetchone()[0]]
        while cursor.nextset():
            given.append(cursor.fetchone()[0])
        print(sum(given))
        with cursor.copy("COPY cl_three (id, name) FROM STDIN") as copy:
            for i in range(100, 200):
                copy.write_row((i, f"c{i}"))
        print(cursor.rowcount)
        with cursor.copy("COPY cl_three (id, name) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "text"])
            for i in range(200, 300):
                copy.write_row((i, f"b{i}"))
        with cursor.copy("COPY (SELECT id, name FROM cl_three ORDER BY id) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "text"])
            print(sum(1 for _ in copy.rows()))
    connection.commit()
    with connection.pipeline():
        count = connection.execute("SELECT count(*) FROM cl_three")
        update = connection.execute("UPDATE cl_three SET name = 'p' WHERE id = %s", (3,))
        name = connection.execute("SELECT name FROM cl_three WHERE id = 3")
        print(count.fetchone(), update.rowcount, name.fetchone())
    connection.commit()
    with connection.cursor(name="on server", row_factory=dict_row) as cursor:
        cursor.execute("SELECT * FROM cl_three ORDER BY id")
        print(cursor.fetchmany(2), [column.name for column in cursor.description])
        print(len(cursor.fetchall()))
    with connection.cursor(name="of one node") as cursor:
        cursor.execute("SELECT name FROM cl_three WHERE id = 3")
        print(cursor.fetchall())
    with connection.cursor(name="scrolls", scrollable=True) as cursor:
        cursor.execute("SELECT id FROM cl_three ORDER BY id DESC")
        cursor.scroll(5)
        print(cursor.fetchone())
    connection.commit()
    for i in range(10):
        connection.execute("SELECT name FROM cl_three WHERE id = %s", (i,), prepare=True).fetchone()
    with connection.transaction():
        try:
            with connection.transaction():
                connection.execute("INSERT INTO cl_three (id) VALUES (1)")
        except psycopg.errors.UniqueViolation as error:
            print(error.diag.constraint_name)
        connection.execute("INSERT INTO cl_three (id) VALUES (1000)")
    print(connection.execute("SELECT count(*) FROM cl_three").fetchone())
    binary = connection.cursor(binary=True)
    print(binary.execute("SELECT id, doc, tags FROM cl_three WHERE id = %b", (4,)).fetchone())
    connection.commit()
    try:
        with connection.pipeline():
            connection.execute("SELECT 1/0")
            connection.execute("SELECT 2")
    except psycopg.errors.DivisionByZero as error:
        print(error.sqlstate)
    connection.rollback()
    connection.execute("DROP TABLE cl_three")
