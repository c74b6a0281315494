DO 'BEGIN UPDATE page16 SET likes = likes + 1 WHERE id = 1; END'
