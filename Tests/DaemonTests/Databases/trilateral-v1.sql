-- As made by the program of 2026-11-21 (revision 77515079): the statements of its steps, and rows that it would store.
BEGIN TRANSACTION;
CREATE TABLE device (environment TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT;
INSERT INTO "device" VALUES('000000000000000000000001','000000000000000000000002');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1');
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "setting" VALUES('environment','000000000000000000000001');
INSERT INTO "setting" VALUES('installation','0badcafe');
INSERT INTO "setting" VALUES('sensor.compass','off');
CREATE TABLE slug (kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL,
    PRIMARY KEY (kind, id), UNIQUE (kind, slug)) STRICT;
INSERT INTO "slug" VALUES('thing','000000000000000000000003','desk-lamp');
COMMIT;
