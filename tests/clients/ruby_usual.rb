# What programs with Ruby's pg do: prepared statements, COPY, rows one by one, pipelines.
require 'pg'
connection = PG.connect
connection.exec('SET client_min_messages = warning')
connection.exec('DROP TABLE IF EXISTS cl_ruby')
connection.exec('CREATE TABLE cl_ruby (id bigint PRIMARY KEY, name text, f float8)')
connection.exec("SELECT create_distributed_table('cl_ruby', 'id')") unless ENV['PLACES'].empty?
connection.prepare('insert', 'INSERT INTO cl_ruby VALUES ($1, $2, $3)')
50.times { |i| connection.exec_prepared('insert', [i, "n#{i}", i * 0.5]) }
p connection.exec_params('SELECT * FROM cl_ruby WHERE id = $1', [3]).to_a
connection.transaction { |inside| inside.exec('UPDATE cl_ruby SET f = f + 1') }
connection.copy_data('COPY cl_ruby FROM STDIN CSV') { 5.times { |i| connection.put_copy_data("#{100 + i},x,1\n") } }
connection.copy_data('COPY (SELECT id FROM cl_ruby ORDER BY id DESC LIMIT 3) TO STDOUT') do
  while (row = connection.get_copy_data)
    print row
  end
end
connection.send_query('SELECT id FROM cl_ruby ORDER BY id')
connection.set_single_row_mode
count = 0
while (result = connection.get_result)
  result.stream_each { count += 1 }
end
p count
p connection.exec('SELECT name FROM cl_ruby WHERE id = 1; SELECT 2').to_a
connection.enter_pipeline_mode
connection.send_query_params('SELECT name FROM cl_ruby WHERE id = 4', [])
connection.send_query_params('SELECT count(*) FROM cl_ruby', [])
connection.pipeline_sync
2.times do
  p connection.get_result.values
  connection.get_result
end
connection.get_result
connection.exit_pipeline_mode
begin
  connection.exec('INSERT INTO cl_ruby (id) VALUES (1)')
rescue PG::UniqueViolation => e
  p e.result.error_field(PG::PG_DIAG_CONSTRAINT_NAME)
end
p connection.describe_prepared('insert').nparams
connection.exec('DROP TABLE cl_ruby')
