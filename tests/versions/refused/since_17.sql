MERGE INTO other17 p USING (VALUES (1, 10), (3, 1)) v(id, n) ON p.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n WHEN NOT MATCHED BY SOURCE THEN DELETE
MERGE INTO page17 p USING other17 v ON p.id = v.id WHEN NOT MATCHED BY SOURCE THEN DELETE
MERGE INTO page17 p USING (VALUES (3, 1), (40, 2)) v(id, n) ON p.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', v.n) RETURNING merge_action(), p.id
