-- As made by the program of 2026-11-21 (revision 77515079): the statements of its steps, and rows that it would store.
BEGIN TRANSACTION;
CREATE TABLE device (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;
CREATE TABLE environment (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;
INSERT INTO "environment" VALUES(1,'000000000000000000000001','{"name":"home"}');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1');
CREATE TABLE thing (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;
INSERT INTO "thing" VALUES(2,'000000000000000000000003','{"environment":"000000000000000000000001","name":"lamp"}');
CREATE TABLE zone (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;
COMMIT;
