"""What the tab key does in psql on a terminal: it completes names of the catalogue, words of SQL, and psql's own commands."""
import fcntl
import os
import pty
import select
import signal
import struct
import tempfile
import termios
import time

PROMPT = "ready> "
PATIENCE = 30  # seconds for an answer
ROWS_AND_COLUMNS = struct.pack("HHHH", 50, 300, 0, 0)

TABLES = [
    "DROP TABLE IF EXISTS cl_person, cl_person_visit;",
    "CREATE TABLE cl_person (id bigint PRIMARY KEY, name text, birthplace text);",
    "CREATE INDEX cl_person_key ON cl_person (name);",
    "CREATE TABLE cl_person_visit (person bigint, place text);",
]
PLACEMENTS = [
    "SELECT create_distributed_table('cl_person', 'id') \\g /dev/null",
    "SELECT create_distributed_table('cl_person_visit', 'person', colocate_with => 'cl_person') \\g /dev/null",
]
ROWS = ["INSERT INTO cl_person VALUES (1, 'Ann', 'York'), (2, 'Ben', NULL);", "INSERT INTO cl_person_visit VALUES (1, 'Bath'), (2, 'York');"]

# What is typed, and the line that it becomes.
LINES = [
    ("SELECT * FROM cl_person_v\tORDER BY person;", "SELECT * FROM cl_person_visit ORDER BY person;"),
    ("SELECT * FROM cl_person WHERE birth\tIS NULL;", "SELECT * FROM cl_person WHERE birthplace IS NULL;"),
    ("SELECT person FROM public.cl_person_v\tWHERE pl\t= 'Bath';", "SELECT person FROM public.cl_person_visit WHERE place = 'Bath';"),
    ("UPDATE cl_person SET birth\t= 'Bath' WHERE id = 1;", "UPDATE cl_person SET birthplace = 'Bath' WHERE id = 1;"),
    ("INSERT INTO cl_person_v\tVAL\t(1, 'Hull');", "INSERT INTO cl_person_visit VALUES (1, 'Hull');"),
    ("DEL\tcl_person_v\tWHERE person = 2;", "DELETE FROM cl_person_visit WHERE person = 2;"),
    ("SHOW default_transaction_iso\t;", "SHOW default_transaction_isolation ;"),
    ("GRANT SELECT ON cl_person_v\tTO abelian_rou\t;", "GRANT SELECT ON cl_person_visit TO abelian_router ;"),
    ("\\d cl_person_v\t", "\\d cl_person_visit "),
    ("\\di cl_person_k\t", "\\di cl_person_key "),
    ("\\timi\toff", "\\timing off"),
    ("BEGIN ISO\tREP\t;", "BEGIN ISOLATION LEVEL REPEATABLE READ ;"),
    ("SELECT count(*) FROM cl_person_v\t;", "SELECT count(*) FROM cl_person_visit ;"),
    ("SELECT 1 / 0;", "SELECT 1 / 0;"),
    # Now that the transaction has failed, no name of the catalogue is found; words of SQL are.
    ("SELECT * FROM cl_person_v\t;", "SELECT * FROM cl_person_v;"),
    ("ROLL\t;", "ROLLBACK ;"),
    ("TRUNCATE cl_person_v\t;", "TRUNCATE cl_person_visit ;"),
]


class Terminal:
    """psql on a terminal that can do nothing and is wide: what it prints is what was typed and what was completed."""

    def __init__(self, home):
        inputrc = os.path.join(home, "inputrc")
        with open(inputrc, "w", encoding="ascii") as file:
            file.write("set bell-style none\nset enable-bracketed-paste off\nset page-completions off\n")
        environment = dict(os.environ, TERM="dumb", INPUTRC=inputrc, HOME=home, PSQL_HISTORY="/dev/null", PAGER="cat", LC_ALL="C.UTF-8")
        psql = os.environ["PSQL"]
        self.process, self.screen = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, ROWS_AND_COLUMNS)
            os.execve(psql, [psql, "-X", "-q", "-v", f"PROMPT1={PROMPT}"], environment)
        self.read_until(PROMPT)

    def read_until(self, end):
        text, last = "", time.monotonic() + PATIENCE
        while not text.endswith(end):
            if not select.select([self.screen], [], [], max(0, last - time.monotonic()))[0]:
                raise TimeoutError(f"{text!r} does not end with {end!r}")
            text += os.read(self.screen, 65536).decode()
        return text.removesuffix(end).replace("\r\n", "\n")

    def enter(self, line):
        """Types when psql waits for a line. It reads one key after the other, so nothing has to wait for its answer to a tab."""
        os.write(self.screen, (line + "\n").encode())
        return self.read_until(PROMPT)

    def list(self, line):
        """The second tab asks for all that the line can become; the prompt and the line come once more below it."""
        os.write(self.screen, (line + "\t\t").encode())
        return self.read_until(PROMPT + line)

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.screen)


with tempfile.TemporaryDirectory() as folder:
    terminal = Terminal(folder)
    terminal.enter("SET client_min_messages = warning;")
    for statement in TABLES + (PLACEMENTS if os.environ["PLACES"] else []) + ROWS:
        terminal.enter(statement)
    for typed, line in LINES:
        answer = terminal.enter(typed)
        print(answer, end="")
        if answer.partition("\n")[0] != line:
            print("status: the line is not", line)
    print(terminal.list("SELECT * FROM cl_person"))
    terminal.enter(";")
    terminal.enter("DROP TABLE cl_person, cl_person_visit;")
    terminal.close()
