# Counts since the server started.
s/^[0-9]+(\|[0-9]+){8}$/counts/
