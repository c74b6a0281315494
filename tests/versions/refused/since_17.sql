MERGE INTO page17 p USING other17 v ON p.likes = v.likes WHEN MATCHED THEN UPDATE SET title = 'same' WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', v.likes) RETURNING merge_action(), p.id
MERGE INTO page17 p USING (VALUES (3, 1), (40, 2)) v(id, n) ON p.id = v.id WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', v.n) WHEN NOT MATCHED BY SOURCE THEN DELETE
