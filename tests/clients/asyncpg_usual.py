"""What programs with asyncpg do: binary parameters, pools, cursors, COPY of records, types that it looks up."""
import asyncio
import os

import asyncpg


async def main():
    pool = await asyncpg.create_pool(min_size=2, max_size=4)
    async with pool.acquire() as connection:
        await connection.execute("DROP TABLE IF EXISTS cl_async; DROP TYPE IF EXISTS cl_mood")
        await connection.execute("CREATE TYPE cl_mood AS ENUM ('ok', 'bad')")
        await connection.execute("CREATE TABLE cl_async (id bigint PRIMARY KEY, mood cl_mood, tags int[], doc jsonb)")
        if os.environ["PLACES"]:
            await connection.execute("SELECT create_distributed_table('cl_async', 'id')")
        rows = [(i, "ok" if i % 2 else "bad", [i], "{}") for i in range(60)]
        await connection.executemany("INSERT INTO cl_async VALUES ($1, $2, $3, $4)", rows)
        print(await connection.fetchval("SELECT count(*) FROM cl_async WHERE mood = $1", "ok"))
        print(await connection.fetchrow("SELECT * FROM cl_async WHERE id = $1", 3))
        async with connection.transaction():
            async for row in connection.cursor("SELECT id FROM cl_async ORDER BY id LIMIT 25", prefetch=10):
                last = row
            print(last)
        records = [(i, "ok") for i in range(5000, 5100)]
        print(await connection.copy_records_to_table("cl_async", records=records, columns=["id", "mood"]))
        statement = await connection.prepare("SELECT tags, mood FROM cl_async WHERE id = $1")
        print([attribute.name for attribute in statement.get_attributes()], await statement.fetchrow(5))
        notes = asyncio.Queue()
        note = lambda *told: notes.put_nowait(told[3])
        await connection.add_listener("cl", note)
        await connection.execute("NOTIFY cl, 'x'")
        print(await asyncio.wait_for(notes.get(), 20))
        await connection.remove_listener("cl", note)
        async with connection.transaction(isolation="repeatable_read"):
            print(await connection.fetchval("SELECT mood FROM cl_async WHERE id = 1"))
        try:
            await connection.execute("INSERT INTO cl_async (id) VALUES (1)")
        except asyncpg.UniqueViolationError as error:
            print(error.constraint_name)
    answers = await asyncio.gather(*[pool.fetchval("SELECT id FROM cl_async WHERE id = $1", i) for i in range(20)])
    print(answers)
    await pool.execute("DROP TABLE cl_async")
    await pool.execute("DROP TYPE cl_mood")
    await pool.close()


asyncio.run(main())
