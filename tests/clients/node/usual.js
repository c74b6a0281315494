// What programs with node-postgres do: pools, parameters, named statements, cursors, COPY, savepoints, errors, notifications.
const { once } = require("node:events");
const { pipeline } = require("node:stream/promises");
const { Readable } = require("node:stream");
const { Client, Pool, types } = require("pg");
const Cursor = require("pg-cursor");
const { from: copyFrom, to: copyTo } = require("pg-copy-streams");

const show = (value) => console.log(JSON.stringify(value));

async function fill(client) {
  await client.query("DROP TABLE IF EXISTS cl_node");
  await client.query("CREATE TABLE cl_node (id bigint PRIMARY KEY, name text, n numeric(10, 2), at timestamptz, doc jsonb, tags text[])");
  if (process.env.PLACES) await client.query("SELECT create_distributed_table('cl_node', 'id')");
  for (let id = 0; id < 50; id++) {
    await client.query("INSERT INTO cl_node VALUES ($1, $2, $3, $4, $5, $6)", [id, `name ${id}`, id / 4, new Date(0), { id }, ["a", `${id}`]]);
  }
}

async function read(client) {
  const { rows, fields } = await client.query("SELECT * FROM cl_node WHERE id = $1", [7]);
  show(rows);
  show(fields.map((field) => [field.name, field.dataTypeID]));
  show((await client.query({ text: "SELECT count(*), sum(n) FROM cl_node", rowMode: "array" })).rows);
  for (const id of [1, 2, 3]) {
    show((await client.query({ name: "by id", text: "SELECT name FROM cl_node WHERE id = $1", values: [id] })).rows);
  }
  show((await client.query("SELECT 1 AS a; SELECT id FROM cl_node WHERE id < 3 ORDER BY id")).map((answer) => answer.rows));
  const cursor = client.query(new Cursor("SELECT id FROM cl_node ORDER BY id"));
  show([await cursor.read(3), (await cursor.read(20)).length]);
  await cursor.close();
}

async function copy(client) {
  const lines = Array.from({ length: 200 }, (_, i) => `${1000 + i}\tcopied\n`);
  await pipeline(Readable.from(lines), client.query(copyFrom("COPY cl_node (id, name) FROM STDIN")));
  const out = client.query(copyTo("COPY (SELECT id, name FROM cl_node WHERE id >= 1000 ORDER BY id LIMIT 2) TO STDOUT"));
  show(Buffer.concat(await out.toArray()).toString());
}

async function fail(client) {
  await client.query("BEGIN");
  await client.query("UPDATE cl_node SET n = n + 1 WHERE id < 10");
  await client.query("SAVEPOINT s");
  await client.query("INSERT INTO cl_node (id) VALUES (1)").catch(({ code, constraint, table }) => show([code, constraint, table]));
  await client.query("SELECT 1").catch(({ code }) => show(code));
  await client.query("ROLLBACK TO s");
  show((await client.query("SELECT sum(n) FROM cl_node")).rows);
  await client.query("ROLLBACK");
  show((await client.query("SELECT sum(n) FROM cl_node")).rows);
}

async function notify(pool) {
  const listener = new Client();
  await listener.connect();
  await listener.query("LISTEN cl_node");
  const told = once(listener, "notification");
  await pool.query("SELECT pg_notify('cl_node', 'x')");
  const [{ channel, payload }] = await told;
  show([channel, payload]);
  await listener.end();
}

async function main() {
  types.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({ max: 4 });
  const client = await pool.connect();
  await fill(client);
  await read(client);
  await copy(client);
  await fail(client);
  client.release();
  await notify(pool);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.query("SELECT name FROM cl_node WHERE id = $1", [i])));
  show(answers.map(({ rows }) => rows[0].name));
  await pool.query("DROP TABLE cl_node");
  await pool.end();
}

main().catch((error) => {
  console.log(`status 1: ${error.stack}`);
  process.exit(1);
});
