-- Judgements of annotators. What happened is an event, and events stay as they are: an undo is a further event.

CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL);

CREATE TABLE sentence (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    line INTEGER NOT NULL,
    tokens TEXT NOT NULL CHECK (json_valid(tokens))
);

CREATE TABLE annotator (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time REAL NOT NULL, -- seconds since 1970
    annotator INTEGER NOT NULL REFERENCES annotator,
    sentence INTEGER NOT NULL REFERENCES sentence,
    task TEXT NOT NULL CHECK (task IN ('shorten', 'check')),
    kind TEXT NOT NULL CHECK (kind IN ('judgement', 'skip', 'undo')),
    mask TEXT CHECK ((mask IS NOT NULL) = (task = 'shorten' AND kind = 'judgement')),
    undone INTEGER UNIQUE REFERENCES event CHECK ((undone IS NOT NULL) = (kind = 'undo'))
);
CREATE INDEX event_of_sentence ON event (sentence, task, annotator);
CREATE INDEX event_of_annotator ON event (annotator, task);

-- What a judgement of the task 'check' says of the skeletons that it was shown.
CREATE TABLE mark (
    event INTEGER NOT NULL REFERENCES event,
    mask TEXT NOT NULL,
    bad INTEGER NOT NULL CHECK (bad IN (0, 1)),
    PRIMARY KEY (event, mask)
) WITHOUT ROWID;

-- Which sentence is open at an annotator, and how long it is kept from others.
CREATE TABLE lease (
    annotator INTEGER NOT NULL REFERENCES annotator,
    task TEXT NOT NULL,
    sentence INTEGER NOT NULL REFERENCES sentence,
    until REAL NOT NULL,
    PRIMARY KEY (annotator, task)
) WITHOUT ROWID;
CREATE INDEX lease_of_sentence ON lease (sentence, task);

-- The events that count.
CREATE VIEW active AS
SELECT event.* FROM event
WHERE kind <> 'undo' AND NOT EXISTS (SELECT 1 FROM event AS later WHERE later.undone = event.number);

CREATE VIEW shortening AS SELECT * FROM active WHERE task = 'shorten' AND kind = 'judgement';

CREATE VIEW verdict AS
SELECT active.sentence, active.annotator, active.number AS event, mark.mask, mark.bad
FROM active JOIN mark ON mark.event = active.number;

CREATE TRIGGER events_stay BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'an event is never removed'); END;
CREATE TRIGGER marks_stay BEFORE UPDATE ON mark BEGIN SELECT RAISE(ABORT, 'a mark is never changed'); END;
CREATE TRIGGER marks_remain BEFORE DELETE ON mark BEGIN SELECT RAISE(ABORT, 'a mark is never removed'); END;
