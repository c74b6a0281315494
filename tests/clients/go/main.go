// What programs with pgx do: a pool, its query modes, batches, COPY, savepoints, errors, notifications, types that it looks up.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func must(err error) {
	if err != nil {
		fmt.Println("status 1:", err)
		os.Exit(1)
	}
}

func exec(ctx context.Context, pool *pgxpool.Pool, text string, values ...any) {
	tag, err := pool.Exec(ctx, text, values...)
	must(err)
	fmt.Println(tag)
}

func fill(ctx context.Context, pool *pgxpool.Pool) {
	exec(ctx, pool, "DROP TABLE IF EXISTS cl_go")
	exec(ctx, pool, "CREATE TABLE cl_go (id bigint PRIMARY KEY, name text, n float8, at timestamptz, tags text[])")
	if os.Getenv("PLACES") != "" {
		_, err := pool.Exec(ctx, "SELECT create_distributed_table('cl_go', 'id')")
		must(err)
	}
	batch := &pgx.Batch{}
	for id := 0; id < 50; id++ {
		batch.Queue("INSERT INTO cl_go VALUES ($1, $2, $3, $4, $5)", id, fmt.Sprint("name ", id), float64(id)/4, time.Unix(0, 0), []string{"a", fmt.Sprint(id)})
	}
	must(pool.SendBatch(ctx, batch).Close())
}

// Reads in each way to send a statement.
func read(ctx context.Context, pool *pgxpool.Pool) {
	type row struct {
		ID   int64
		Name string
		N    float64
		At   time.Time
		Tags []string
	}
	for _, mode := range modes {
		rows, err := pool.Query(ctx, "SELECT * FROM cl_go WHERE id = $1", mode, 7)
		must(err)
		found, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[row])
		must(err)
		fmt.Println(mode, found.ID, found.Name, found.N, found.At.UTC(), found.Tags)
		var count, sum float64
		must(pool.QueryRow(ctx, "SELECT count(*), sum(n) FROM cl_go WHERE id < $1", mode, 1000).Scan(&count, &sum))
		fmt.Println(count, sum)
	}
}

func copyRows(ctx context.Context, pool *pgxpool.Pool) {
	rows := make([][]any, 200)
	for i := range rows {
		rows[i] = []any{int64(1000 + i), "copied"}
	}
	count, err := pool.CopyFrom(ctx, pgx.Identifier{"cl_go"}, []string{"id", "name"}, pgx.CopyFromRows(rows))
	must(err)
	fmt.Println(count)
}

func fail(ctx context.Context, pool *pgxpool.Pool) {
	tx, err := pool.Begin(ctx)
	must(err)
	_, err = tx.Exec(ctx, "UPDATE cl_go SET n = n + 1 WHERE id < 10")
	must(err)
	inner, err := tx.Begin(ctx)
	must(err)
	var told *pgconn.PgError
	_, err = inner.Exec(ctx, "INSERT INTO cl_go (id) VALUES (1)")
	if errors.As(err, &told) {
		fmt.Println(told.Code, told.ConstraintName, told.TableName)
	}
	must(inner.Rollback(ctx))
	var sum float64
	must(tx.QueryRow(ctx, "SELECT sum(n) FROM cl_go").Scan(&sum))
	must(tx.Rollback(ctx))
	fmt.Println(sum)
}

func notify(ctx context.Context, pool *pgxpool.Pool) {
	listener, err := pool.Acquire(ctx)
	must(err)
	defer listener.Release()
	_, err = listener.Exec(ctx, "LISTEN cl_go")
	must(err)
	exec(ctx, pool, "NOTIFY cl_go, 'x'")
	note, err := listener.Conn().WaitForNotification(ctx)
	must(err)
	fmt.Println(note.Channel, note.Payload)
	_, err = listener.Exec(ctx, "UNLISTEN *")
	must(err)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pool, err := pgxpool.New(ctx, "pool_max_conns=4")
	must(err)
	defer pool.Close()
	fill(ctx, pool)
	read(ctx, pool)
	copyRows(ctx, pool)
	fail(ctx, pool)
	notify(ctx, pool)
	exec(ctx, pool, "DROP TABLE cl_go")
}
