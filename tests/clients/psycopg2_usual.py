"""What programs with psycopg2 do: values in texts, batches, cursors, COPY, notifications."""
import io
import os

import psycopg2
import psycopg2.extras

connection = psycopg2.connect("")
cursor = connection.cursor()
cursor.execute("DROP TABLE IF EXISTS cl_two CASCADE")
cursor.execute("CREATE TABLE cl_two (id bigint PRIMARY KEY, name text, tags text[], doc jsonb, n numeric)")
if os.environ["PLACES"]:
    cursor.execute("SELECT create_distributed_table('cl_two', 'id')")
connection.commit()
rows = [(i, f"n{i}", ["a", "b"], psycopg2.extras.Json({"k": i}), i / 4) for i in range(100)]
psycopg2.extras.execute_values(cursor, "INSERT INTO cl_two VALUES %s", rows)
print(cursor.rowcount)
connection.commit()
cursor.execute("SELECT * FROM cl_two WHERE id = ANY(%s) ORDER BY id", ([1, 2, 3],))
print(cursor.fetchall(), [column.name for column in cursor.description])
updates = [(f"x{i}", i) for i in range(50)]
psycopg2.extras.execute_batch(cursor, "UPDATE cl_two SET name = %s WHERE id = %s", updates)
connection.commit()

named = connection.cursor("named")
named.itersize = 10
named.execute("SELECT id FROM cl_two ORDER BY id")
print(sum(row[0] for row in named))
named.close()
scrollable = connection.cursor("scrollable", scrollable=True)
scrollable.execute("SELECT id FROM cl_two ORDER BY id")
print(scrollable.fetchmany(3))
scrollable.scroll(-2)
print(scrollable.fetchone())
scrollable.close()
connection.commit()

out = io.StringIO()
cursor.copy_expert("COPY (SELECT id, name FROM cl_two WHERE id < 5 ORDER BY id) TO STDOUT CSV", out)
print(out.getvalue())
cursor.copy_from(io.StringIO("1000\tz\n1001\ty\n"), "cl_two", columns=("id", "name"))
print(cursor.rowcount)
connection.commit()
try:
    cursor.execute("INSERT INTO cl_two (id) VALUES (1)")
except psycopg2.errors.UniqueViolation as error:
    print(error.diag.constraint_name, error.diag.table_name, error.pgcode)
    connection.rollback()
try:
    cursor.execute("SELECT nowhere FROM cl_two")
except psycopg2.errors.UndefinedColumn as error:
    print(error.diag.statement_position, error.diag.message_primary)
    connection.rollback()
connection.set_session(isolation_level="SERIALIZABLE", readonly=True)
cursor.execute("SELECT name FROM cl_two WHERE id = 7")
print(cursor.fetchone())
connection.commit()
connection.set_session(isolation_level="DEFAULT", readonly=False)

connection.autocommit = True
cursor.execute("LISTEN cl")
cursor.execute("NOTIFY cl, 'hello'")
connection.poll()
print([(note.channel, note.payload) for note in connection.notifies])
print(connection.get_parameter_status("server_encoding"), connection.get_transaction_status())
cursor.execute("DROP TABLE cl_two")
connection.close()
