-- As made by the program of 2026-11-26 (revision a1d4006d): the statements of its steps, and rows that it would store.
BEGIN TRANSACTION;
CREATE TABLE announcement (topic TEXT PRIMARY KEY, components TEXT NOT NULL) STRICT;
INSERT INTO "announcement" VALUES('homeassistant/device/x/config','light');
CREATE TABLE command (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, at INTEGER NOT NULL, epoch TEXT,
    face TEXT NOT NULL, speaker TEXT NOT NULL, source TEXT, kind TEXT NOT NULL, target TEXT, slug TEXT,
    actions TEXT, results TEXT, state TEXT NOT NULL, code TEXT, tx TEXT, took_ms REAL,
    times INTEGER NOT NULL) STRICT;
INSERT INTO "command" VALUES(7,NULL,1764000000000,NULL,'mqtt','anna',NULL,'set','000000000000000000000003',NULL,NULL,NULL,'accepted',NULL,NULL,NULL,1);
CREATE TABLE contact (id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL, phone TEXT NOT NULL, channels TEXT NOT NULL) STRICT;
CREATE TABLE device (environment TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT;
INSERT INTO "device" VALUES('000000000000000000000001','000000000000000000000002');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1');
INSERT INTO "grdb_migrations" VALUES('v2');
INSERT INTO "grdb_migrations" VALUES('v3');
INSERT INTO "grdb_migrations" VALUES('v4');
INSERT INTO "grdb_migrations" VALUES('v5');
INSERT INTO "grdb_migrations" VALUES('v6');
INSERT INTO "grdb_migrations" VALUES('v7');
INSERT INTO "grdb_migrations" VALUES('v8');
CREATE TABLE grouping (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL) STRICT;
INSERT INTO "grouping" VALUES('all','all','users');
CREATE TABLE lifecycle_log (id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL,
    call TEXT NOT NULL, previous TEXT NOT NULL, current TEXT NOT NULL) STRICT;
INSERT INTO "lifecycle_log" VALUES(1,'2026-11-23T10:00:00.000Z','display','idle','active');
CREATE TABLE member (grouping TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (grouping, member)) STRICT;
CREATE TABLE permission (id INTEGER PRIMARY KEY AUTOINCREMENT, grantee TEXT NOT NULL, scope TEXT NOT NULL,
    access TEXT NOT NULL, starts INTEGER, ends INTEGER, giver TEXT, share INTEGER NOT NULL,
    accepted INTEGER, source INTEGER, kept_access TEXT, kept_starts INTEGER, kept_ends INTEGER) STRICT;
INSERT INTO "permission" VALUES(1,'user:aaaaaaaaaaaaaaab','all','own',NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE secret (hash BLOB PRIMARY KEY NOT NULL, kind TEXT NOT NULL, holder TEXT NOT NULL, name TEXT NOT NULL,
    ceiling TEXT, made INTEGER NOT NULL, until INTEGER, used INTEGER) STRICT;
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "setting" VALUES('environment','000000000000000000000001');
INSERT INTO "setting" VALUES('installation','0badcafe');
INSERT INTO "setting" VALUES('sensor.compass','off');
CREATE TABLE slug (kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL, environment TEXT,
    PRIMARY KEY (kind, id), UNIQUE (kind, slug)) STRICT;
INSERT INTO "slug" VALUES('thing','000000000000000000000003','desk-lamp','000000000000000000000001');
CREATE TABLE station (serial TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, address TEXT NOT NULL,
    url TEXT, password TEXT NOT NULL, updated TEXT NOT NULL) STRICT;
INSERT INTO "station" VALUES('0123456789abcdef','museum','192.0.2.1',NULL,'secret','2026-11-23T10:00:00.000Z');
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, display TEXT NOT NULL,
    email TEXT NOT NULL, password TEXT, state TEXT NOT NULL, made INTEGER NOT NULL, seen INTEGER) STRICT;
INSERT INTO "user" VALUES('aaaaaaaaaaaaaaab','anna','Anna','anna@example.org',NULL,'active',1764000000000,NULL);
CREATE INDEX permission_scope ON permission (scope);
CREATE INDEX secret_holder ON secret (holder);
CREATE INDEX contact_user ON contact (user);
CREATE INDEX command_at ON command (at);
CREATE INDEX command_refused ON command (code, at) WHERE code IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('lifecycle_log',1);
INSERT INTO "sqlite_sequence" VALUES('permission',1);
INSERT INTO "sqlite_sequence" VALUES('command',7);
COMMIT;
