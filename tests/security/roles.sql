-- Roles of the attacks; the password of each is its name. Every node needs the same verifiers, salts included.
CREATE ROLE stranger LOGIN PASSWORD 'SCRAM-SHA-256$4096:YWJlbGlhbi1zdHJhbmdlcg==$bTrCgsILrA69xkSMPRHLZ98RFd/gOtFH92jEcxjZgtw=:kxWxwaG5oNRb0Ala64JZjGMyPG1dFUwEKIL4eqZJy8g=';
CREATE ROLE client LOGIN PASSWORD 'SCRAM-SHA-256$4096:YWJlbGlhbi1jbGllbnQtcg==$/o5bYvTdPgwxd1fsEmUAL7ukqQh2RoABGolVQEY+iPs=:k2mTqm2e7o+oD0FA6jKTHjQDun72algayWDEcPoGe40=';
CREATE ROLE victim LOGIN PASSWORD 'SCRAM-SHA-256$4096:YWJlbGlhbi12aWN0aW0tcg==$nisDHw5gf3QvUImSqKnEcyThUIuxa7I9MPWpxLpwx50=:fzD7ouPd0kgmfPsNp4OFiY3ioR/orYThHCnIbSNB3Qs=';
CREATE ROLE friend LOGIN PASSWORD 'SCRAM-SHA-256$4096:YWJlbGlhbi1mcmllbmQtcg==$BFpRIEmMkZVVGp+JWg48pbw1/DK31ZpvpJo+MKlZTgw=:x4L5hneZjP+jIiijSi0TbBOeMdvMYUHiSFougJqaV3k=';
GRANT client, victim TO router; -- to finish what they leave; the router serves a stranger, too, who has not asked for more
GRANT abelian_router TO friend;
