//! What programs with tokio-postgres do: parameters in binary form, pipelines, portals, COPY, savepoints, errors, notifications, types that it looks up.

use bytes::Bytes;
use futures_util::future::{poll_fn, try_join_all};
use futures_util::{pin_mut, SinkExt, StreamExt, TryStreamExt};
use std::env::var;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver};
use tokio_postgres::{AsyncMessage, Client, Config, Error, NoTls, Notification};

/// Connects by libpq's variables, which the library does not read itself; what is notified comes through the channel.
async fn connect() -> Result<(Client, UnboundedReceiver<Notification>), Error> {
    let of = |name: &str| var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let mut config = Config::new();
    config.host(of("PGHOST")).port(of("PGPORT").parse().expect("a port"));
    config.user(of("PGUSER")).password(of("PGPASSWORD")).dbname(of("PGDATABASE"));
    let (client, mut connection) = config.connect(NoTls).await?;
    let (tell, told) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(note) = message {
                let _ = tell.send(note);
            }
        }
    });
    Ok((client, told))
}

async fn fill(client: &Client) -> Result<(), Error> {
    client.batch_execute("DROP TABLE IF EXISTS cl_rust; DROP TYPE IF EXISTS cl_mood").await?;
    client.batch_execute("CREATE TYPE cl_mood AS ENUM ('ok', 'bad')").await?;
    client
        .batch_execute("CREATE TABLE cl_rust (id bigint PRIMARY KEY, name text, n float8, at timestamptz, tags text[], mood cl_mood DEFAULT 'ok')")
        .await?;
    if !var("PLACES").unwrap_or_default().is_empty() {
        client.batch_execute("SELECT create_distributed_table('cl_rust', 'id')").await?;
    }
    let insert = client.prepare("INSERT INTO cl_rust VALUES ($1, $2, $3, $4, $5)").await?;
    for id in 0..50_i64 {
        let tags = ["a".to_string(), id.to_string()];
        let tags = tags.as_slice();
        client
            .execute(&insert, &[&id, &format!("name {id}"), &(id as f64 / 4.0), &SystemTime::UNIX_EPOCH, &tags])
            .await?;
    }
    Ok(())
}

async fn read(client: &Client) -> Result<(), Error> {
    let statement = client.prepare("SELECT id, name, n, at, tags, mood FROM cl_rust WHERE id = $1").await?;
    for column in statement.columns() {
        println!("{} {}", column.name(), column.type_().name());
    }
    let row = client.query_one(&statement, &[&7_i64]).await?;
    println!("{:?} {:?} {:?}", row.get::<_, i64>(0), row.get::<_, f64>(2), row.get::<_, Vec<String>>(4));
    println!("{:?}", row.get::<_, SystemTime>(3).duration_since(SystemTime::UNIX_EPOCH));
    // Sent at once, without waiting for answers.
    let ids: Vec<i64> = (0..20).collect();
    let rows = try_join_all(ids.iter().map(|id| async { client.query_one(&statement, &[id]).await })).await?;
    println!("{:?}", rows.iter().map(|row| row.get::<_, &str>(1)).collect::<Vec<_>>());
    for message in client.simple_query("SELECT 1; SELECT count(*) FROM cl_rust").await? {
        println!("{message:?}");
    }
    Ok(())
}

async fn copy(client: &Client) -> Result<(), Error> {
    let sink = client.copy_in("COPY cl_rust (id, name) FROM STDIN").await?;
    pin_mut!(sink);
    for id in 1000..1200 {
        sink.send(Bytes::from(format!("{id}\tcopied\n"))).await?;
    }
    println!("{}", sink.finish().await?);
    let lines = client
        .copy_out("COPY (SELECT id, name FROM cl_rust WHERE id >= 1000 ORDER BY id LIMIT 2) TO STDOUT")
        .await?;
    println!("{:?}", lines.try_collect::<Vec<Bytes>>().await?.concat());
    Ok(())
}

async fn portals_and_errors(client: &mut Client) -> Result<(), Error> {
    let mut transaction = client.transaction().await?;
    let portal = transaction.bind("SELECT id FROM cl_rust ORDER BY id", &[]).await?;
    for size in [3, 20] {
        let rows = transaction.query_portal(&portal, size).await?;
        println!("{} {:?}", rows.len(), rows.last().map(|row| row.get::<_, i64>(0)));
    }
    let inner = transaction.savepoint("s").await?;
    let error = inner
        .execute("INSERT INTO cl_rust (id) VALUES (1)", &[])
        .await
        .expect_err("a second row of one key");
    let error = error.as_db_error().expect("an error of the server");
    println!("{} {:?} {:?}", error.code().code(), error.constraint(), error.table());
    inner.rollback().await?;
    let sum: f64 = transaction.query_one("SELECT sum(n) FROM cl_rust", &[]).await?.get(0);
    println!("{sum}");
    transaction.rollback().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut client, mut told) = connect().await?;
    fill(&client).await?;
    read(&client).await?;
    copy(&client).await?;
    portals_and_errors(&mut client).await?;
    client.batch_execute("LISTEN cl_rust").await?;
    connect().await?.0.batch_execute("NOTIFY cl_rust, 'x'").await?;
    let note = tokio::time::timeout(Duration::from_secs(20), told.recv())
        .await?
        .ok_or("the connection is gone")?;
    println!("{} {}", note.channel(), note.payload());
    let stream = client.query_raw("SELECT id FROM cl_rust ORDER BY id", &[] as &[&str]).await?;
    println!("{}", stream.count().await);
    client.batch_execute("DROP TABLE cl_rust; DROP TYPE cl_mood").await?;
    Ok(())
}
