"""WebChannel by plain HTTP requests, one at a time: for what a well-behaved client never does."""

import copy
import itertools
import json
import urllib.parse

import requests

_tags = itertools.count(1)


class Frames:
    """Cuts a response into frames, whose lengths count UTF-16 code units."""

    def __init__(self):
        self.units = b""
        self.rest = b""

    def feed(self, piece):
        """The texts of the frames that are complete now."""
        self.rest += piece
        whole = self.rest.decode("utf-8", "ignore")
        self.rest = self.rest[len(whole.encode()) :]
        self.units += whole.encode("utf-16-le")
        texts = []
        while True:
            end = next((i for i in range(0, len(self.units), 2) if self.units[i : i + 2] == b"\n\0"), None)
            if end is None:
                return texts
            length = int(self.units[:end].decode("utf-16-le"))
            stop = end + 2 + 2 * length
            if len(self.units) < stop:
                return texts
            texts.append(self.units[end + 2 : stop].decode("utf-16-le"))
            self.units = self.units[stop:]


class BackChannel:
    """A GET whose arrays come as the server sends them."""

    def __init__(self, response):
        self.response = response
        self.frames = Frames()
        self.pieces = response.iter_content(chunk_size=None)
        self.waiting = []

    def next(self):
        """The next array, `(number, payload)`; None at the response's end."""
        while not self.waiting:
            piece = next(self.pieces, None)
            if piece is None:
                return None
            for text in self.frames.feed(piece):
                self.waiting += [tuple(array) for array in json.loads(text)]
        return self.waiting.pop(0)

    def message(self):
        """The next array that is no noop."""
        while (array := self.next()) is not None:
            if array[1] != ["noop"]:
                return array
        return None

    def rest(self):
        """All arrays until the response's end."""
        arrays = []
        while (array := self.next()) is not None:
            arrays.append(array)
        return arrays

    def close(self):
        self.response.close()


class Session:
    """One WebChannel session; numbers are kept as a client keeps them, unless a test says otherwise."""

    def __init__(self, server, database, method="Write", verify=True):
        self.url = f"{server.url}/google.firestore.v1.Firestore/{method}/channel"
        self.database = database
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.verify = verify
        self.sid = self.affinity = None
        self.sent = 0
        self.number = 0

    def parameters(self, **more):
        fixed = {"VER": "8", "database": self.database, "zx": f"z{next(_tags)}", "t": "1"}
        if self.sid:
            fixed |= {"SID": self.sid, "gsessionid": self.affinity}
        return {name: str(value) for name, value in (fixed | more).items() if value is not None}

    @staticmethod
    def form(maps, offset, headers=None):
        fields = {"headers": headers} if headers else {}
        fields |= {"count": len(maps), "ofs": offset}
        for index, message in enumerate(maps):
            text = message if isinstance(message, str) else json.dumps(message)
            fields[f"req{index}___data__"] = text
        return urllib.parse.urlencode(fields)

    def request(self, verb, body=None, headers=None, stream=False, **parameters):
        sent = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        return self.http.request(
            verb,
            self.url,
            params=self.parameters(**parameters),
            data=body,
            headers=sent | (headers or {}),
            stream=stream,
            timeout=60,
        )

    def open(self, maps=None, authorization="Bearer owner", **options):
        """Opens the session with its first messages; gives the response."""
        maps = [{"database": self.database}] if maps is None else maps
        headers = "Content-Type:text/plain\r\n"
        if authorization:
            headers += f"Authorization:{authorization}\r\n"
        body = self.form(maps, 0, headers)
        more = {"RID": 4711, "CVER": 22, "X-HTTP-Session-Id": "gsessionid"}
        response = self.request("POST", body, **more, **options)
        if response.status_code == 200:
            (text,) = Frames().feed(response.content)
            ((zero, opening),) = json.loads(text)
            assert zero == 0 and opening[0] == "c"
            self.opening = opening
            self.sid = opening[1]
            self.affinity = response.headers["X-HTTP-Session-Id"]
            self.sent = len(maps)
        return response

    def post(self, maps, offset=None, aid=0, **options):
        """Sends messages; gives the receipt, or the response where that is none."""
        self.number += 1
        offset = self.sent if offset is None else offset
        response = self.request("POST", self.form(maps, offset), RID=4711 + self.number, AID=aid, **options)
        self.sent = max(self.sent, offset + len(maps))
        if response.status_code != 200:
            return response
        (text,) = Frames().feed(response.content)
        return json.loads(text)

    def get(self, aid=0, long_poll=False, **options):
        """Opens a back channel; gives it, or the response where that is none."""
        response = self.request(
            "GET", stream=True, RID="rpc", AID=aid, CI=int(long_poll), TYPE="xmlhttp", **options
        )
        return BackChannel(response) if response.status_code == 200 else response

    def terminate(self, verb="POST"):
        self.number += 1
        body = "" if verb == "POST" else None
        return self.request(verb, body, {"Content-Type": "text/plain"}, RID=4711 + self.number, TYPE="terminate")

    def twin(self):
        """The same session on connections of its own."""
        twin = copy.copy(self)
        twin.http = requests.Session()
        twin.http.trust_env = False
        twin.http.verify = self.http.verify
        return twin

    def close(self):
        self.http.close()
