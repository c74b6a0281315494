UPDATE page SET title = 'e' WHERE id = 2;
