-- record2, projections 8
CREATE TABLE accounts (
	name VARCHAR(40) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	password VARCHAR(200) NOT NULL, 
	initial BOOLEAN NOT NULL, 
	disabled BOOLEAN NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	sessions_since VARCHAR(27) NOT NULL, 
	password_until VARCHAR(27), 
	pits TEXT, 
	origin VARCHAR(10), 
	subject VARCHAR(600), 
	CONSTRAINT pk_accounts PRIMARY KEY (name)
);
CREATE TABLE alarms (
	number INTEGER NOT NULL, 
	log INTEGER NOT NULL, 
	own_number INTEGER NOT NULL, 
	"table" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	round TEXT, 
	subject TEXT NOT NULL, 
	line TEXT NOT NULL, 
	parts TEXT NOT NULL, 
	details TEXT NOT NULL, 
	times INTEGER NOT NULL, 
	raised_at TEXT NOT NULL, 
	last_raised_at TEXT NOT NULL, 
	over_at TEXT, 
	answered_at TEXT, 
	answered_by TEXT, 
	answer TEXT, 
	reason TEXT, 
	CONSTRAINT pk_alarms PRIMARY KEY (number), 
	CONSTRAINT fk_alarms_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE api_keys (
	id VARCHAR(12) NOT NULL, 
	name VARCHAR(60) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	created_by VARCHAR(100) NOT NULL, 
	expires_at VARCHAR(27) NOT NULL, 
	revoked_at VARCHAR(27), 
	pits TEXT, 
	CONSTRAINT pk_api_keys PRIMARY KEY (id)
);
CREATE TABLE claims (
	log INTEGER NOT NULL, 
	what TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	since TEXT NOT NULL, 
	seen_at TEXT NOT NULL, 
	CONSTRAINT pk_claims PRIMARY KEY (log, what), 
	CONSTRAINT fk_claims_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TABLE dead_letters (
	subscriber VARCHAR(60) NOT NULL, 
	id VARCHAR(120) NOT NULL, 
	position INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	attempts INTEGER NOT NULL, 
	error TEXT NOT NULL, 
	CONSTRAINT pk_dead_letters PRIMARY KEY (subscriber, id)
);
CREATE TABLE deliveries (
	subscriber VARCHAR(60) NOT NULL, 
	position INTEGER NOT NULL, 
	part INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	hash VARCHAR(64), 
	own INTEGER, 
	at VARCHAR(27), 
	stopped_at VARCHAR(27), 
	CONSTRAINT pk_deliveries PRIMARY KEY (subscriber)
);
CREATE TABLE followed (
	log INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	hash TEXT NOT NULL, 
	at TEXT NOT NULL, 
	own_name TEXT NOT NULL, 
	CONSTRAINT pk_followed PRIMARY KEY (log), 
	CONSTRAINT fk_followed_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE INDEX ix_alarms_lasting ON alarms ("table", kind, number) WHERE over_at IS NULL;
CREATE INDEX ix_alarms_open ON alarms (number) WHERE answered_at IS NULL;
CREATE INDEX ix_alarms_open_table ON alarms ("table", kind, number) WHERE answered_at IS NULL;
CREATE UNIQUE INDEX ix_alarms_own_number ON alarms (log, own_number);
CREATE INDEX ix_alarms_round ON alarms (round);
CREATE INDEX ix_alarms_stand ON alarms (log, round) WHERE over_at IS NULL OR answered_at IS NULL;
CREATE INDEX ix_alarms_table ON alarms ("table", number);
CREATE UNIQUE INDEX ix_log_cosignatures_same ON log_cosignatures (log, hash);
CREATE INDEX ix_log_cosignatures_table ON log_cosignatures (log, id);
CREATE UNIQUE INDEX ix_record_entries_hash ON record_entries (log, hash);
CREATE INDEX ix_record_entries_kind ON record_entries (log, kind, seq);
CREATE INDEX ix_record_entries_log ON record_entries (log, position);
CREATE INDEX ix_record_entries_naming ON record_entries (log, seq) WHERE kind IN ('record', 'signing_key', 'epoch');
CREATE INDEX ix_record_entries_results ON record_entries (position) WHERE kind IN ('round', 'review');
CREATE INDEX ix_record_entries_round ON record_entries (log, round, seq);
CREATE UNIQUE INDEX ix_record_entries_seq ON record_entries (log, seq) WHERE gone IS NULL;
CREATE INDEX ix_record_entries_timed ON record_entries (log, at) WHERE kind IN ('review', 'alarm', 'outage');
CREATE INDEX ix_record_pictures_sha256 ON record_pictures (sha256);
CREATE INDEX ix_record_replies_seq ON record_replies (seq);
CREATE UNIQUE INDEX ix_refused_entries_same ON refused_entries (log, sha256, code);
CREATE INDEX ix_rounds_house_hand ON rounds ("table", opened_at) WHERE house_hand <> '';
CREATE INDEX ix_rounds_number ON rounds ("table", number);
CREATE INDEX ix_rounds_opened ON rounds (opened_at, first);
CREATE INDEX ix_rounds_table ON rounds ("table", opened_at, first);
CREATE INDEX ix_rounds_verified ON rounds ("table", verified_hand_at) WHERE verified_hand_at IS NOT NULL;
CREATE INDEX ix_rounds_waiting ON rounds (opened_at, first) WHERE status = 'needs_review';
CREATE INDEX ix_rounds_waiting_table ON rounds ("table", opened_at, first) WHERE status = 'needs_review';
CREATE INDEX ix_rounds_wrong ON rounds ("table", opened_at, first) WHERE ever_wrong;
CREATE INDEX ix_second_factors_account ON second_factors (account);
CREATE INDEX ix_telephones_account ON telephones (account);
CREATE TABLE log_cosignatures (
	id INTEGER NOT NULL, 
	log INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	hash TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	line TEXT NOT NULL, 
	CONSTRAINT pk_log_cosignatures PRIMARY KEY (id), 
	CONSTRAINT fk_log_cosignatures_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TRIGGER log_cosignatures_new BEFORE INSERT ON log_cosignatures WHEN EXISTS (SELECT 1 FROM log_cosignatures WHERE id = NEW.id OR (log = NEW.log AND hash = NEW.hash)) BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER log_cosignatures_no_delete BEFORE DELETE ON log_cosignatures BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER log_cosignatures_no_update BEFORE UPDATE ON log_cosignatures BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TABLE logs (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	record TEXT DEFAULT '' NOT NULL, 
	"key" TEXT DEFAULT '' NOT NULL, 
	seq INTEGER DEFAULT '0' NOT NULL, 
	hash TEXT DEFAULT '0000000000000000000000000000000000000000000000000000000000000000' NOT NULL, 
	epoch TEXT DEFAULT '' NOT NULL, 
	due TEXT, 
	copied INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_logs PRIMARY KEY (id), 
	CONSTRAINT uq_logs_name UNIQUE (name)
);
CREATE TABLE page_sessions (
	digest VARCHAR(64) NOT NULL, 
	account VARCHAR(40) NOT NULL, 
	started_at VARCHAR(27) NOT NULL, 
	ends_at VARCHAR(27) NOT NULL, 
	used_at VARCHAR(27), 
	browser VARCHAR(200), 
	address VARCHAR(60), 
	CONSTRAINT pk_page_sessions PRIMARY KEY (digest), 
	CONSTRAINT fk_page_sessions_account_accounts FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE projections (
	version INTEGER NOT NULL
);
CREATE TABLE record_cosignatures (
	seq INTEGER NOT NULL, 
	witness VARCHAR(200) NOT NULL, 
	line TEXT NOT NULL, 
	CONSTRAINT pk_record_cosignatures PRIMARY KEY (seq, witness)
);
CREATE TABLE record_entries (
	position INTEGER NOT NULL, 
	log INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	monotonic_ns INTEGER NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	"table" VARCHAR(40) NOT NULL, 
	round VARCHAR(64), 
	subject VARCHAR(200), 
	supersedes INTEGER, 
	body TEXT NOT NULL, 
	previous VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	signature VARCHAR(128), 
	received_at VARCHAR(27), 
	gone VARCHAR(40), 
	CONSTRAINT pk_record_entries PRIMARY KEY (position), 
	CONSTRAINT fk_record_entries_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TRIGGER record_entries_follow BEFORE INSERT ON record_entries WHEN 
    NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM record_entries)
    OR EXISTS (SELECT 1 FROM record_entries WHERE log = NEW.log AND seq >= NEW.seq AND gone IS NULL)
    OR EXISTS (SELECT 1 FROM record_entries WHERE log = NEW.log AND hash = NEW.hash)
    OR NOT (
        (NEW.seq = 1 AND NEW.previous = '0000000000000000000000000000000000000000000000000000000000000000')
        OR EXISTS (
            SELECT 1 FROM record_entries WHERE log = NEW.log AND hash = NEW.previous AND seq = NEW.seq - 1
        )
    )
 BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_entries_no_delete BEFORE DELETE ON record_entries BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_entries_no_update BEFORE UPDATE ON record_entries WHEN OLD.log = 1 OR OLD.gone IS NOT NULL OR NEW.gone IS NULL OR NEW."position" IS NOT OLD."position" OR NEW."log" IS NOT OLD."log" OR NEW."seq" IS NOT OLD."seq" OR NEW."at" IS NOT OLD."at" OR NEW."monotonic_ns" IS NOT OLD."monotonic_ns" OR NEW."kind" IS NOT OLD."kind" OR NEW."table" IS NOT OLD."table" OR NEW."round" IS NOT OLD."round" OR NEW."subject" IS NOT OLD."subject" OR NEW."supersedes" IS NOT OLD."supersedes" OR NEW."body" IS NOT OLD."body" OR NEW."previous" IS NOT OLD."previous" OR NEW."hash" IS NOT OLD."hash" OR NEW."signature" IS NOT OLD."signature" OR NEW."received_at" IS NOT OLD."received_at" BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TABLE record_lease (
	id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	holder VARCHAR(300) NOT NULL, 
	since VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_record_lease PRIMARY KEY (id)
);
CREATE TABLE record_pictures (
	position INTEGER NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	bytes INTEGER NOT NULL, 
	media_type VARCHAR(40) NOT NULL, 
	CONSTRAINT pk_record_pictures PRIMARY KEY (position, sha256), 
	CONSTRAINT fk_record_pictures_position_record_entries FOREIGN KEY(position) REFERENCES record_entries (position)
);
CREATE TRIGGER record_pictures_new BEFORE INSERT ON record_pictures WHEN EXISTS (SELECT 1 FROM record_pictures WHERE position = NEW.position AND sha256 = NEW.sha256) BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_pictures_no_delete BEFORE DELETE ON record_pictures BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_pictures_no_update BEFORE UPDATE ON record_pictures BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TABLE record_replies (
	scope VARCHAR(200) NOT NULL, 
	"key" VARCHAR(200) NOT NULL, 
	request VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	CONSTRAINT pk_record_replies PRIMARY KEY (scope, "key")
);
CREATE TRIGGER record_replies_new BEFORE INSERT ON record_replies WHEN EXISTS (SELECT 1 FROM record_replies WHERE scope = NEW.scope AND key = NEW.key) BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_replies_no_delete BEFORE DELETE ON record_replies BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER record_replies_no_update BEFORE UPDATE ON record_replies BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TABLE recovery_codes (
	account VARCHAR(40) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (account, digest), 
	CONSTRAINT fk_recovery_codes_account_accounts FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE refused_entries (
	id INTEGER NOT NULL, 
	log INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	line BLOB NOT NULL, 
	code TEXT NOT NULL, 
	fault TEXT NOT NULL, 
	first_at TEXT NOT NULL, 
	last_at TEXT NOT NULL, 
	times INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_refused_entries PRIMARY KEY (id), 
	CONSTRAINT fk_refused_entries_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TABLE rounds (
	log INTEGER NOT NULL, 
	round TEXT NOT NULL, 
	"table" TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	first INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	opened_at TEXT NOT NULL, 
	changed_at TEXT NOT NULL, 
	state TEXT NOT NULL, 
	status TEXT NOT NULL, 
	verdict TEXT NOT NULL, 
	doubts TEXT NOT NULL, 
	ever_wrong BOOLEAN NOT NULL, 
	decided_wrong BOOLEAN, 
	wrong_rules TEXT NOT NULL, 
	dealer TEXT, 
	verified TEXT NOT NULL, 
	verified_hand_at TEXT, 
	house_hand TEXT NOT NULL, 
	boxes TEXT NOT NULL, 
	lasted_s FLOAT, 
	CONSTRAINT pk_rounds PRIMARY KEY (log, round), 
	CONSTRAINT fk_rounds_log_logs FOREIGN KEY(log) REFERENCES logs (id)
);
CREATE TABLE second_factors (
	id VARCHAR(16) NOT NULL, 
	account VARCHAR(40) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	name VARCHAR(60) NOT NULL, 
	secret TEXT NOT NULL, 
	credential TEXT NOT NULL, 
	site VARCHAR(255) NOT NULL, 
	counter INTEGER NOT NULL, 
	added_at VARCHAR(27) NOT NULL, 
	used_at VARCHAR(27), 
	CONSTRAINT pk_second_factors PRIMARY KEY (id), 
	CONSTRAINT fk_second_factors_account_accounts FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE telephones (
	id VARCHAR(32) NOT NULL, 
	account VARCHAR(40) NOT NULL, 
	endpoint TEXT NOT NULL, 
	p256dh VARCHAR(100) NOT NULL, 
	auth VARCHAR(40) NOT NULL, 
	site VARCHAR(255) NOT NULL, 
	language VARCHAR(20) NOT NULL, 
	browser VARCHAR(200) NOT NULL, 
	added_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_telephones PRIMARY KEY (id), 
	CONSTRAINT fk_telephones_account_accounts FOREIGN KEY(account) REFERENCES accounts (name)
);
