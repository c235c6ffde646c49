"""Listen streams without a client's checks, and the checks that every client makes of them."""

import queue
import threading

import grpc
from google.cloud.firestore_v1 import types

from support.rpc import OWNER, SERVICE
from support.server import START_SECONDS as WAIT_SECONDS

Change = types.TargetChange.TargetChangeType


class Ended(Exception):
    """The stream ended while something was expected of it."""

    def __init__(self, stream):
        self.code, self.message = stream.status
        super().__init__(f"the stream ended: {self.code}: {self.message}")


class Target:
    """What a client knows of one target: documents that it holds, as of the last consistent time."""

    def __init__(self):
        self.pending_acknowledgements = 1
        self.is_told = False
        self.is_current = False
        self.held = {}
        self.consistent = {}
        self.token = b""
        self.resets = 0
        self.cause = None
        self.is_removed = False
        self.filters = []
        self.last_filter = None
        self.documents_sent = 0


class ListenStream:
    """One Listen call. Answers are applied as they come, and checked as the official clients do.

    A check that fails is kept and raised by the next wait.
    """

    def __init__(self, channel, database, metadata=OWNER):
        self.database = database
        self.root = f"{database}/documents"
        self.responses = []
        self.targets = {}
        self.read_time = None
        self.token = b""
        self.consistent_count = 0
        self.status = None
        self.failure = None
        self.is_paused = threading.Event()
        self.is_paused.set()
        self._requests = queue.Queue()
        self._changed = threading.Condition()
        method = channel.stream_stream(
            SERVICE + "Listen",
            request_serializer=lambda message: message
            if isinstance(message, bytes)
            else types.ListenRequest.serialize(message),
            response_deserializer=types.ListenResponse.deserialize,
        )
        headers = (*metadata, ("google-cloud-resource-prefix", database))
        self.call = method(iter(self._requests.get, None), metadata=headers)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # Requests

    def query(self, collection, where=(), orders=(), limit=None, everywhere=False, parent=None):
        """A query target's content; conditions are `(field, operator name, value message)`."""
        structured = {"from_": [{"collection_id": collection, "all_descendants": everywhere}]}
        filters = [
            {"field_filter": {"field": {"field_path": field}, "op": operator, "value": value}}
            for field, operator, value in where
        ]
        if len(filters) == 1:
            structured["where"] = filters[0]
        elif filters:
            structured["where"] = {"composite_filter": {"op": "AND", "filters": filters}}
        if orders:
            structured["order_by"] = [
                {"field": {"field_path": field}, "direction": direction}
                for field, direction in orders
            ]
        if limit is not None:
            structured["limit"] = limit
        return {"query": {"parent": parent or self.root, "structured_query": structured}}

    def documents(self, *paths):
        """A target of documents by name."""
        return {"documents": {"documents": [f"{self.root}/{path}" for path in paths]}}

    def add(self, target_id, content, held=None, **more):
        """Adds a target; `held` is what the client has of it, where it resumes."""
        target = Target()
        target.held = dict(held or {})
        target.consistent = dict(target.held)
        # The server removes such a target by itself.
        target.pending_acknowledgements += bool(more.get("once"))
        with self._changed:
            self.targets[target_id] = target
        request = {"target_id": target_id, **content, **more}
        self.send({"database": self.database, "add_target": request})
        return target

    def remove(self, target_id):
        """Removes a target that was added."""
        with self._changed:
            self.targets[target_id].pending_acknowledgements += 1
        self.send({"database": self.database, "remove_target": target_id})

    def send(self, request):
        """Sends a request, or bytes as they are."""
        if isinstance(request, dict):
            request = types.ListenRequest(request)
        self._requests.put(request)

    def half_close(self):
        self._requests.put(None)

    def cancel(self):
        self.call.cancel()
        self._requests.put(None)
        self.is_paused.set()
        self._reader.join(WAIT_SECONDS)

    # Answers

    def _read(self):
        try:
            for response in self.call:
                self.is_paused.wait()
                with self._changed:
                    self.responses.append(response)
                    self._apply(response)
                    self._changed.notify_all()
            status = ("OK", "")
        except grpc.RpcError as error:
            status = (error.code().name, error.details())
        except Exception as failure:  # a check; the next wait shows it
            self.failure = failure
            self.call.cancel()
            status = ("CHECK", repr(failure))
        with self._changed:
            self.status = status
            self._changed.notify_all()

    def _apply(self, response):
        kind = response._pb.WhichOneof("response_type")
        getattr(self, "_apply_" + kind)(getattr(response, kind))

    def _apply_target_change(self, change):
        ids = list(change.target_ids)
        if change.read_time and not ids:
            read_time = change._pb.read_time.ToNanoseconds()
            assert self.read_time is None or read_time >= self.read_time, "read times go back"
            self.read_time = read_time
        for target_id in ids or list(self.targets):
            target = self.targets[target_id]
            if change.target_change_type == Change.ADD:
                assert ids and target.pending_acknowledgements > 0, "a surplus ADD"
                target.pending_acknowledgements -= 1
                target.is_told = True
            elif change.target_change_type == Change.REMOVE:
                if change.cause.code:
                    target.cause = change.cause
                else:
                    assert target.pending_acknowledgements > 0, "a surplus REMOVE"
                    target.pending_acknowledgements -= 1
                target.is_removed = True
            elif change.target_change_type == Change.CURRENT:
                assert change.resume_token, "CURRENT without a token"
                target.is_current = True
                target.token = change.resume_token
            elif change.target_change_type == Change.RESET:
                target.held, target.is_current = {}, False
                target.token = b""
                target.resets += 1
            elif ids and change.resume_token:
                target.token = change.resume_token
        if change.target_change_type == Change.NO_CHANGE and not ids and change.read_time:
            self._be_consistent(change)

    def _be_consistent(self, change):
        self.consistent_count += 1
        told = [each for each in self.targets.values() if each.is_told and not each.is_removed]
        if not change.resume_token:
            unfinished = any(not target.is_current for target in told)
            assert unfinished or not told, "a consistent point without a token"
        else:
            self.token = change.resume_token
        for target in told:
            # Clients keep it for all targets, whether they are current or not.
            target.token = change.resume_token or target.token
            if target.is_current:
                target.consistent = dict(target.held)

    def _apply_document_change(self, change):
        document = change.document
        assert document.name and document.update_time and document.create_time
        for target_id in change.target_ids:
            target = self.targets[target_id]
            target.held[document.name] = document
            target.documents_sent += 1
        for target_id in change.removed_target_ids:
            self.targets[target_id].held.pop(document.name, None)

    def _apply_document_delete(self, change):
        for target_id in change.removed_target_ids:
            self.targets[target_id].held.pop(change.document, None)

    _apply_document_remove = _apply_document_delete

    def _apply_filter(self, filter):
        target = self.targets[filter.target_id]
        target.filters.append((filter.count, len(target.held)))
        target.last_filter = filter

    # Waiting

    def until(self, condition, seconds=WAIT_SECONDS):
        """Waits until the condition holds."""
        with self._changed:
            def is_over():
                return self.failure or condition() or self.status

            arrived = self._changed.wait_for(is_over, seconds)
            if self.failure:
                raise self.failure
            if condition():
                return
            if self.status:
                raise Ended(self)
            assert arrived, f"waited in vain; the last answers: {self.responses[-5:]}"

    def until_consistent(self, *target_ids, seconds=WAIT_SECONDS):
        """Waits until these targets are current and a consistent point followed."""
        self.until(
            lambda: all(self.targets[one].is_current for one in target_ids)
            and self._is_settled(target_ids),
            seconds,
        )

    def _is_settled(self, target_ids):
        """Whether a consistent point came after the last CURRENT of these targets."""
        for response in reversed(self.responses):
            change = response.target_change
            if response._pb.WhichOneof("response_type") != "target_change":
                continue
            if change.target_change_type == Change.NO_CHANGE and not change.target_ids:
                return True
            if change.target_change_type == Change.CURRENT and set(change.target_ids) & set(target_ids):
                return False
        return False

    def until_held(self, target_id, ids, seconds=WAIT_SECONDS):
        """Waits until the target's consistent documents have these ids."""
        self.until(lambda: self.ids(target_id) == sorted(ids), seconds)

    def ids(self, target_id):
        """The last parts of the names of the target's consistent documents, sorted."""
        return sorted(name.rsplit("/", 1)[-1] for name in self.targets[target_id].consistent)

    def until_ended(self, seconds=WAIT_SECONDS):
        """The status with which the stream ended."""
        self.until(lambda: self.status is not None, seconds)
        return self.status


class ResumingListener:
    """One target for as long as it is wanted, over connections that end at any byte.

    What came after the last consistent point is forgotten with its connection, as by the clients for
    the web and for phones; the next one goes on from that point's token.
    """

    TARGET = 2

    def __init__(self, host, database, content, patience=WAIT_SECONDS):
        """`patience` is for how many seconds nothing may come."""
        self.patience = patience
        self.held = {}
        self.token = b""
        self.read_time = 0
        self.connections = 0
        self.resumed = 0
        self.resets = 0
        self.failure = None
        self._host, self._database, self._content = host, database, content
        self._stream = None
        self._is_open = True
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while self._is_open and self.failure is None:
            options = [("grpc.use_local_subchannel_pool", 1)]
            with grpc.insecure_channel(self._host, options=options) as channel:
                try:
                    self._listen(channel)
                except Exception as failure:
                    self.failure = failure
                with self._changed:
                    self._changed.notify_all()

    def _listen(self, channel):
        stream = ListenStream(channel, self._database)
        more = {"resume_token": self.token} if self.token else {}
        target = stream.add(self.TARGET, self._content, self.held, **more)
        with self._changed:
            self.connections += 1
            self._stream = stream
        seen = 0
        while stream.status is None:
            stream.until(lambda seen=seen: stream.consistent_count > seen or stream.status, self.patience)
            seen = self._keep(stream, target)
        self._keep(stream, target)
        self.resumed += bool(more) and stream.consistent_count > 0
        self.resets += target.resets
        stream.cancel()
        if not stream.consistent_count:
            # Whoever is refused does not ask again at once.
            threading.Event().wait(0.05)
        # A connection that was cut is the point here; a refusal or a failed check is not.
        assert stream.status[0] in ("UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN"), stream.status
        if stream.failure:
            raise stream.failure

    def _keep(self, stream, target):
        """Takes over the last consistent point: its documents together with its token."""
        with stream._changed, self._changed:
            if stream.consistent_count:
                assert target.is_current, "a consistent point before the target is current"
                assert stream.read_time >= self.read_time, "read times go back"
                self.read_time = stream.read_time
                self.held, self.token = dict(target.consistent), stream.token
                self._changed.notify_all()
            return stream.consistent_count

    def until(self, condition, seconds=WAIT_SECONDS):
        """Waits until the condition holds for the documents of a consistent point."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: self.failure or condition(self.held), seconds)
            if self.failure:
                raise self.failure
            assert arrived, f"waited in vain; {self.described()}"

    def described(self):
        names = sorted(name.rsplit("/", 1)[-1] for name in self.held)
        return f"{self.connections} connections, {self.resumed} resumed, holds {names}"

    def close(self):
        self._is_open = False
        with self._changed:
            if self._stream is not None:
                self._stream.call.cancel()
        self._thread.join(WAIT_SECONDS)
