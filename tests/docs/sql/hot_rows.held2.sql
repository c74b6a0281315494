UPDATE page SET title = 'd' WHERE id = 2;
