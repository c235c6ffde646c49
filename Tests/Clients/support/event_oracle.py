"""Every card of analytics, computed from the events that were sent, in SQL that SQLite and DuckDB take alike.

Nothing of the server's way of counting is here: rules are applied to rows, users are counted by `DISTINCT`, days come from
the zone's transitions as Python's `zoneinfo` knows them.
"""

import bisect
import datetime
import zoneinfo

DAY = 86_400_000_000
EPOCH = datetime.date(1970, 1, 1)
COLUMNS = [
    ("arrival", "BIGINT"), ("received", "BIGINT"), ("sent", "BIGINT"), ("user", "VARCHAR"), ("number", "BIGINT"),
    ("app", "VARCHAR"), ("platform", "VARCHAR"), ("country", "VARCHAR"), ("appVersion", "VARCHAR"), ("model", "VARCHAR"),
    ("osVersion", "VARCHAR"), ("language", "VARCHAR"), ("level", "VARCHAR"), ("time", "BIGINT"), ("sequence", "BIGINT"),
    ("name", "VARCHAR"), ("item", "VARCHAR"), ("stock", "BIGINT"), ("session", "BIGINT"), ("engaged", "BIGINT"),
    ("engagement", "BIGINT"), ("value", "BIGINT"),
]
FIGURES = "count(*), count(DISTINCT user), sum(value), sum(engagement)"
DIMENSIONS = ["platform", "appVersion", "country", "language", "model", "osVersion", "app"]
FUNNEL_WINDOW = 2 * DAY


class Oracle:
    """The cards of events in a database: `execute` takes SQL and answers something with `fetchall`."""

    def __init__(self, execute, zone, first, last):
        self.execute = execute
        self.first, self.last = first, last
        self.zone = zone

    def rows(self, query):
        return self.execute(query).fetchall()

    def prepare(self):
        """From `raw`, what was sent, makes `e`, what counts, and `d`, what was dropped."""
        # A batch counts once; a clock that is off by more than a minute is corrected, by a day at most.
        self.execute(
            f"""CREATE TABLE once AS SELECT *, time + CASE
                WHEN received - sent > {DAY} THEN {DAY} WHEN received - sent < -{DAY} THEN -{DAY}
                WHEN abs(received - sent) > 60000000 THEN received - sent ELSE 0 END AS moment
            FROM raw WHERE number < 0 OR (user, number, arrival) IN (
                SELECT user, number, min(arrival) FROM raw WHERE number >= 0 GROUP BY 1, 2)"""
        )
        timely = "moment >= received - 259200000000 AND moment <= received + 60000000"
        self.execute(
            f"""CREATE TABLE d AS SELECT {self.day('received')} AS day,
                CASE WHEN name LIKE 'ga!_%' ESCAPE '!' THEN 'NAME_RESERVED' ELSE 'VALUE_OUT_OF_BOUNDS' END AS code
            FROM once WHERE name LIKE 'ga!_%' ESCAPE '!' OR NOT ({timely})"""
        )
        self.execute(
            f"""CREATE TABLE e AS SELECT {self.day('moment')} AS day, moment, sequence, arrival,
                CASE WHEN user = '' THEN NULL ELSE user END AS user, name, item, stock, session, engaged, engagement,
                value, level, {', '.join(DIMENSIONS)},
                row_number() OVER (ORDER BY moment, sequence, arrival) AS place
            FROM once WHERE NOT name LIKE 'ga!_%' ESCAPE '!' AND {timely}"""
        )

    def day(self, column):
        """A time's day in the zone: each stretch between two changes of the clocks has its own offset."""
        begins, offsets = transitions(self.zone, self.first - 3, self.last + 3)
        micros = [offset * 1_000_000 for offset in offsets]
        text = f"{micros[-1]}"
        for begin, offset in reversed(list(zip(begins[1:], micros[:-1]))):
            text = f"CASE WHEN {column} < {begin} THEN {offset} ELSE {text} END"
        local = f"({column} + {text})"
        return f"CAST(({local} - {local} % {DAY}) / {DAY} AS BIGINT)"

    def cards(self, asked):
        days = range(self.first, self.last + 1)
        span = f"day BETWEEN {self.first} AND {self.last}"
        cards = {
            "events": self.card(f"SELECT name, {FIGURES} FROM e WHERE {span} GROUP BY 1"),
            "events by day": {
                f"{text(day)} {name}": list(numbers)
                for day, name, *numbers in self.rows(f"SELECT day, name, {FIGURES} FROM e WHERE {span} GROUP BY 1, 2")
            },
            "parameters of view_item": self.parameters(span),
            "users by day": self.users_by_day(days),
            "totals": {"users": [
                self.one(f"SELECT count(DISTINCT user) FROM e WHERE {span} AND {condition}")
                for condition in ("true", ACTIVE, "name = 'first_open'")
            ]},
            "retention": self.retention(days),
            "funnel": {"steps": self.funnel(span)},
            "audience": {"users": [self.audience()]},
            "dropped": self.card(f"SELECT code, count(*) FROM d WHERE {span} GROUP BY 1"),
            "timelines": {str(user): self.timeline(user, span) for user in asked},
            # A property's counts have no sums.
            "level": {
                name: [*numbers, 0, 0]
                for name, *numbers in self.rows(
                    f"SELECT level, count(*), count(DISTINCT user) FROM e WHERE {span} AND level <> '' GROUP BY 1"
                )
            },
        }
        for dimension in DIMENSIONS:
            for event, condition in (("all", "true"), ("purchase", "name = 'purchase'")):
                query = f"SELECT {dimension}, {FIGURES} FROM e WHERE {span} AND {condition} GROUP BY 1"
                cards[f"{dimension} of {event}"] = self.card(query)
        return cards

    def card(self, query):
        return {row[0]: [int(number) for number in row[1:]] for row in self.rows(query)}

    def one(self, query):
        return int(self.rows(query)[0][0])

    def parameters(self, span):
        card = {}
        for column, name in (("item", "item_id"), ("stock", "stock")):
            for value, *numbers in self.rows(
                f"SELECT {column}, {FIGURES} FROM e WHERE {span} AND name = 'view_item' GROUP BY 1"
            ):
                card[f"{name}={value}"] = [int(number) for number in numbers]
        numbers = self.rows(
            f"SELECT count(*), count(DISTINCT user), sum(stock) * 1000000 FROM e WHERE {span} AND name = 'view_item'"
        )[0]
        card["stock"] = [int(number) for number in numbers]
        return card

    def users_by_day(self, days):
        self.execute(f"CREATE TABLE active AS SELECT DISTINCT day, user FROM e WHERE user IS NOT NULL AND {ACTIVE}")
        self.execute("CREATE TABLE fresh AS SELECT DISTINCT day, user FROM e WHERE user IS NOT NULL AND name = 'first_open'")
        everybody = self.card("SELECT day, count(DISTINCT user) FROM e GROUP BY 1")
        new = self.card("SELECT day, count(*) FROM fresh GROUP BY 1")
        engagement = self.card(f"SELECT day, sum(engagement) FROM e WHERE {ACTIVE} GROUP BY 1")
        sessions = self.card(
            """SELECT day, count(*), sum(engaged) FROM (
                SELECT day, user, session, max(engaged) AS engaged FROM e
                WHERE user IS NOT NULL AND session >= 0 GROUP BY 1, 2, 3) s GROUP BY 1"""
        )
        card = {}
        for day in days:
            within = [
                self.one(f"SELECT count(DISTINCT user) FROM active WHERE day BETWEEN {day - window + 1} AND {day}")
                for window in (1, 7, 28)
            ]
            card[text(day)] = [
                *everybody.get(day, [0]), *within, *new.get(day, [0]), *engagement.get(day, [0]),
                *sessions.get(day, [0, 0]),
            ]
        return card

    def retention(self, days):
        new = self.card("SELECT day, count(*) FROM fresh GROUP BY 1")
        returned = {
            (day, later): count
            for day, later, count in self.rows(
                """SELECT f.day, a.day - f.day, count(*) FROM fresh f JOIN active a ON a.user = f.user
                WHERE a.day BETWEEN f.day AND f.day + 14 GROUP BY 1, 2"""
            )
        }
        today = self.one(f"SELECT {self.day('max(received)')} FROM raw")
        end = min(self.last + 14, today)
        return {
            text(day): new.get(day, [0]) + [returned.get((day, n), 0) for n in range(min(14, end - day) + 1)]
            for day in days
        }

    def funnel(self, span):
        """The latest first step before each second one is the best for it, and so on."""
        def before(step, value):
            return (
                f"max(CASE WHEN name = '{step}' THEN {value} END) OVER (PARTITION BY user ORDER BY place "
                "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
            )

        steps = f"""WITH a AS (SELECT user, name, moment, place, {before('view_item', 'moment')} AS start FROM e
                WHERE {span} AND user IS NOT NULL AND name IN ('view_item', 'add_to_cart', 'purchase')),
            b AS (SELECT user, name, moment, place,
                CASE WHEN name = 'add_to_cart' AND moment - start <= {FUNNEL_WINDOW} THEN start END AS start FROM a),
            c AS (SELECT user, name, moment, start, max(start) OVER (PARTITION BY user ORDER BY place
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS second FROM b)"""
        return [
            self.one(f"{steps} SELECT count(DISTINCT user) FROM c WHERE {condition}")
            for condition in (
                "name = 'view_item'", "start IS NOT NULL",
                f"name = 'purchase' AND moment - second <= {FUNNEL_WINDOW}",
            )
        ]

    def audience(self):
        today = self.one(f"SELECT {self.day('max(received)')} FROM raw")
        within = f"day BETWEEN {today - 6} AND {today} AND user IS NOT NULL"
        return self.one(
            f"""SELECT count(DISTINCT user) FROM e WHERE {within} AND name = 'purchase'
            AND user NOT IN (SELECT user FROM e WHERE {within} AND country = 'BR')"""
        )

    def timeline(self, user, span):
        query = f"SELECT moment FROM e WHERE user = 'instance-{user}' AND {span} ORDER BY place DESC LIMIT 50"
        return [row[0] for row in self.rows(query)]


ACTIVE = "(engagement > 0 OR engaged = 1 OR name = 'first_open')"


def text(day):
    return (EPOCH + datetime.timedelta(days=day)).isoformat()


def number(day):
    return (datetime.date.fromisoformat(day) - EPOCH).days


def transitions(name, first, last):
    """When the zone's clocks change between two days, in microseconds, and the offsets from then on in seconds."""
    zone = zoneinfo.ZoneInfo(name)

    def offset(seconds):
        moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        return int(moment.astimezone(zone).utcoffset().total_seconds())

    seconds = range(first * 86_400, (last + 1) * 86_400, 900)
    begins, offsets = [seconds[0] * 1_000_000], [offset(seconds[0])]
    position = 0
    while offset(seconds[-1]) != offsets[-1] or any(offset(s) != offsets[-1] for s in seconds[position::96]):
        changed = next(s for s in seconds[position::96] if offset(s) != offsets[-1])
        low = bisect.bisect_left(range(changed - 86_400, changed + 1), True, key=lambda s: offset(s) != offsets[-1])
        begin = changed - 86_400 + low
        begins.append(begin * 1_000_000)
        offsets.append(offset(begin))
        position = bisect.bisect_left(seconds, begin)
    return begins, offsets


def differences(ours, theirs):
    """What differs, in words, a few of each card."""
    found = []
    for card in sorted(set(ours) | set(theirs)):
        left, right = ours.get(card, {}), theirs.get(card, {})
        wrong = [key for key in sorted(set(left) | set(right)) if left.get(key) != right.get(key)]
        found += [f"{card}, {key}: {left.get(key)} is not {right.get(key)}" for key in wrong[:3]]
    return found
