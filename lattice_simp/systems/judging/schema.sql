-- Judgements of raters. What happened is an event, and events stay as they are: an undo is a further event.

-- The study with all its texts, as it was when the file was made.
CREATE TABLE study (content TEXT NOT NULL CHECK (json_valid(content)));

-- What each rater judges, in order.
CREATE TABLE trial (
    place INTEGER NOT NULL, -- the number of the rater, from 0
    position INTEGER NOT NULL, -- from 0
    role TEXT NOT NULL CHECK (role IN ('training', 'check', 'item')),
    number INTEGER NOT NULL, -- of the item, the training item or the check
    systems TEXT NOT NULL CHECK (json_valid(systems)), -- whose outputs are shown, in this order
    PRIMARY KEY (place, position)
) WITHOUT ROWID;

CREATE TABLE rater (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time REAL NOT NULL, -- seconds since 1970
    place INTEGER NOT NULL REFERENCES rater,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'skip', 'undo')),
    answers TEXT CHECK ((answers IS NOT NULL) = (kind = 'answer')),
    undone INTEGER UNIQUE REFERENCES event CHECK ((undone IS NOT NULL) = (kind = 'undo')),
    FOREIGN KEY (place, position) REFERENCES trial
);
CREATE INDEX event_of_trial ON event (place, position);

-- The events that count.
CREATE VIEW active AS
SELECT event.* FROM event
WHERE kind <> 'undo' AND NOT EXISTS (SELECT 1 FROM event AS later WHERE later.undone = event.number);

CREATE TRIGGER events_stay BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'an event is never removed'); END;
