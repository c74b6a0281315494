s/^page\|[0-9]+\|[0-9]*$/page|N|N/
