-- As made by the program of 2026-11-28: the statements of its steps, and rows that it would store.
BEGIN TRANSACTION;
CREATE TABLE announcement (topic TEXT PRIMARY KEY, components TEXT NOT NULL) STRICT;
INSERT INTO "announcement" VALUES('homeassistant/device/x/config','light');
CREATE TABLE binding (id TEXT PRIMARY KEY NOT NULL, vendor TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL, type TEXT, firmware TEXT, layout TEXT, properties TEXT NOT NULL,
    interval TEXT, fixed TEXT NOT NULL, owned INTEGER NOT NULL, gateway TEXT, thing TEXT,
    made_thing INTEGER NOT NULL, making INTEGER NOT NULL, route TEXT NOT NULL, state TEXT,
    made INTEGER NOT NULL, seen INTEGER NOT NULL, state_at INTEGER, wish_thing TEXT, wish_zone TEXT) STRICT;
INSERT INTO "binding" VALUES('th.0a8cf2c2-2bd4-4c0e-a6dc-3f1f0f8e6e4a','meter-1','hash',NULL,NULL,NULL,'{}',NULL,'{}',1,NULL,NULL,0,0,'none',NULL,1764000000000,1764000000000,NULL,NULL,NULL);
CREATE TABLE binding_owner (binding TEXT NOT NULL, grantee TEXT NOT NULL,
    PRIMARY KEY (binding, grantee)) STRICT;
CREATE TABLE command (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, at INTEGER NOT NULL, epoch TEXT,
    face TEXT NOT NULL, speaker TEXT NOT NULL, source TEXT, kind TEXT NOT NULL, target TEXT, slug TEXT,
    actions TEXT, results TEXT, state TEXT NOT NULL, code TEXT, tx TEXT, took_ms REAL,
    times INTEGER NOT NULL, details TEXT) STRICT;
INSERT INTO "command" VALUES(7,NULL,1764000000000,NULL,'mqtt','anna',NULL,'set','000000000000000000000003',NULL,NULL,NULL,'accepted',NULL,NULL,NULL,1,NULL);
CREATE TABLE contact (id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL, phone TEXT NOT NULL, channels TEXT NOT NULL) STRICT;
CREATE TABLE device (environment TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT;
INSERT INTO "device" VALUES('000000000000000000000001','000000000000000000000002');
CREATE TABLE "firing" (seq INTEGER PRIMARY KEY, epoch TEXT NOT NULL, rule INTEGER NOT NULL,
    at INTEGER NOT NULL, why TEXT NOT NULL, outcome TEXT, results TEXT, took_ms INTEGER) STRICT;
INSERT INTO "firing" VALUES(5,'01a2',3,1764000000000,'once','done','[{"ok":true}]',4);
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1');
INSERT INTO "grdb_migrations" VALUES('v2');
INSERT INTO "grdb_migrations" VALUES('v3');
INSERT INTO "grdb_migrations" VALUES('v4');
INSERT INTO "grdb_migrations" VALUES('v5');
INSERT INTO "grdb_migrations" VALUES('v6');
INSERT INTO "grdb_migrations" VALUES('v7');
INSERT INTO "grdb_migrations" VALUES('v8');
INSERT INTO "grdb_migrations" VALUES('v9');
INSERT INTO "grdb_migrations" VALUES('v10');
INSERT INTO "grdb_migrations" VALUES('v11');
INSERT INTO "grdb_migrations" VALUES('v12');
INSERT INTO "grdb_migrations" VALUES('v13');
INSERT INTO "grdb_migrations" VALUES('v14');
INSERT INTO "grdb_migrations" VALUES('v15');
INSERT INTO "grdb_migrations" VALUES('v16');
INSERT INTO "grdb_migrations" VALUES('v17');
INSERT INTO "grdb_migrations" VALUES('v18');
CREATE TABLE grouping (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL) STRICT;
INSERT INTO "grouping" VALUES('all','all','users');
CREATE TABLE installation (id TEXT PRIMARY KEY NOT NULL, token TEXT NOT NULL,
    device_type TEXT NOT NULL, development INTEGER NOT NULL, owner TEXT NOT NULL,
    UNIQUE (token, development)) STRICT;
CREATE TABLE instance (tag TEXT PRIMARY KEY NOT NULL, realm TEXT NOT NULL, site TEXT NOT NULL,
    owner TEXT, thing TEXT, installation TEXT, format INTEGER NOT NULL) STRICT;
CREATE TABLE listed_device (node TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) STRICT;
INSERT INTO "listed_device" VALUES('anna',1764000000000,'{"heard_as":["irk:ec0234a357c8ad05341010a60a397d9b","phone:anna"],"kind":"phone","name":"Anna''s phone","node":"anna","user":"anna"}');
CREATE TABLE lifecycle_log (id INTEGER PRIMARY KEY AUTOINCREMENT, ts TEXT NOT NULL,
    call TEXT NOT NULL, previous TEXT NOT NULL, current TEXT NOT NULL) STRICT;
INSERT INTO "lifecycle_log" VALUES(1,'2026-11-23T10:00:00.000Z','display','idle','active');
CREATE TABLE member (grouping TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (grouping, member)) STRICT;
CREATE TABLE permission (id INTEGER PRIMARY KEY AUTOINCREMENT, grantee TEXT NOT NULL, scope TEXT NOT NULL,
    access TEXT NOT NULL, starts INTEGER, ends INTEGER, giver TEXT, share INTEGER NOT NULL,
    accepted INTEGER, source INTEGER, kept_access TEXT, kept_starts INTEGER, kept_ends INTEGER) STRICT;
INSERT INTO "permission" VALUES(1,'user:aaaaaaaaaaaaaaab','all','own',NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE rule (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL, enabled INTEGER NOT NULL, maker TEXT NOT NULL, form TEXT NOT NULL,
    added INTEGER NOT NULL, changed INTEGER NOT NULL, body TEXT NOT NULL, original TEXT) STRICT;
INSERT INTO "rule" VALUES(3,'night','Night',0,'aaaaaaaaaaaaaaab','json',1764000000000,1764000000000,'{}',NULL);
CREATE TABLE rule_state (rule INTEGER PRIMARY KEY, memory TEXT NOT NULL) STRICT;
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
CREATE TABLE survey_beacon (environment TEXT NOT NULL, thing TEXT NOT NULL, x REAL NOT NULL,
    y REAL NOT NULL, z REAL NOT NULL, power_dbm REAL, floor INTEGER NOT NULL,
    PRIMARY KEY (environment, thing)) STRICT;
INSERT INTO "survey_beacon" VALUES('000000000000000000000001','000000000000000000000003',1.0,2.0,2.5,-59.0,0);
CREATE TABLE survey_level (point INTEGER NOT NULL, thing TEXT NOT NULL, level_db REAL NOT NULL,
    packets REAL NOT NULL, spread_db REAL, PRIMARY KEY (point, thing)) STRICT;
INSERT INTO "survey_level" VALUES(1,'000000000000000000000003',-12.5,60.0,4.2);
CREATE TABLE survey_point (id INTEGER PRIMARY KEY AUTOINCREMENT, environment TEXT NOT NULL,
    floor INTEGER NOT NULL, name TEXT NOT NULL, x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    receiver TEXT NOT NULL, taken_at INTEGER NOT NULL, seconds REAL,
    UNIQUE (environment, receiver, name)) STRICT;
INSERT INTO "survey_point" VALUES(1,'000000000000000000000001',0,'door',0.5,0.25,0.0,'00:11:22:33:44:55',1764000000000,20.0);
CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, display TEXT NOT NULL,
    email TEXT NOT NULL, password TEXT, state TEXT NOT NULL, made INTEGER NOT NULL, seen INTEGER) STRICT;
INSERT INTO "user" VALUES('aaaaaaaaaaaaaaab','anna','Anna','anna@example.org',NULL,'active',1764000000000,NULL);
CREATE INDEX permission_scope ON permission (scope);
CREATE INDEX secret_holder ON secret (holder);
CREATE INDEX contact_user ON contact (user);
CREATE INDEX command_at ON command (at);
CREATE INDEX command_refused ON command (code, at) WHERE code IS NOT NULL;
CREATE INDEX command_target ON command (target) WHERE target IS NOT NULL;
CREATE INDEX command_unresolved ON command (slug) WHERE target IS NULL AND slug IS NOT NULL;
CREATE UNIQUE INDEX binding_thing ON binding (thing) WHERE thing IS NOT NULL;
CREATE INDEX binding_gateway ON binding (gateway) WHERE gateway IS NOT NULL;
CREATE INDEX installation_owner ON installation (owner);
CREATE UNIQUE INDEX command_id ON command (id) WHERE id IS NOT NULL;
CREATE INDEX command_open ON command (state) WHERE state IN ('SENDING', 'DELIVERED');
CREATE INDEX command_stranger ON command (speaker, source, at) WHERE seq < 0;
CREATE INDEX rule_maker ON rule (maker);
CREATE INDEX firing_rule ON firing (rule);
CREATE INDEX firing_open ON firing (epoch) WHERE outcome IS NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('lifecycle_log',1);
INSERT INTO "sqlite_sequence" VALUES('permission',1);
INSERT INTO "sqlite_sequence" VALUES('command',7);
INSERT INTO "sqlite_sequence" VALUES('rule',3);
INSERT INTO "sqlite_sequence" VALUES('firing',4);
INSERT INTO "sqlite_sequence" VALUES('survey_point',1);
COMMIT;
