import BaseText
import FirestoreModel
import Testing

@testable import Realtime

private let byN = [Order("n")]
private let mine = query("a", where: equal("owner", .string("me")))

private func n(_ path: ResourcePath, _ number: Int64) -> Write {
  set(path, ["n": .integer(number)])
}

private func owned(_ path: ResourcePath, _ owner: Text) -> Write {
  set(path, ["owner": .string(owner)])
}

private func group(_ id: Text) -> Query { Query(scope: .collectionGroup(id)) }

@Suite struct ProtocolTests {
  @Test(arguments: targets + documents + windows + resumptions + slowClients + streams)
  func conversation(_ conversation: ProtocolCase) async throws { try await conversation.play() }

  // MARK: Targets

  static let targets = [
    ProtocolCase(
      "an empty query is current at once",
      [.listen(1, query("a")), .frames(["+1", "=1", "."])]
    ),
    ProtocolCase(
      "changes in, inside and out of a query",
      [
        .commit([owned("a/x", "you")]), .listen(1, mine), .frames(["+1", "=1", "."]),
        .commit([owned("a/x", "me")]), .frames(["a/x 1", "."]),
        .commit([set("a/x", ["owner": .string("me"), "n": .null])]), .frames(["a/x 1", "."]),
        .commit([owned("a/x", "you")]), .frames(["a/x !1", "."]),
        .commit([owned("a/x", "me")]), .frames(["a/x 1", "."]),
        .commit([delete("a/x")]), .frames(["x a/x !1", "."]),
        .commit([owned("a/x", "you")]), .frames([]), .commit([delete("a/x")]), .frames([]),
      ]
    ),
    ProtocolCase(
      "a write that changes nothing is silent",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .commit([n("a/x", 1)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "one commit is one snapshot on all targets, and one message a document",
      [
        .listen(1, query("a")), .listen(3, mine), .listen(5, query("b")),
        .frames(["+1", "=1", ".", "+3", "=3", ".", "+5", "=5", "."]),
        .commit([owned("a/x", "me"), owned("b/y", "me")]), .frames(["a/x 1,3", "b/y 5", "."]),
        .commit([owned("a/x", "you"), delete("b/y")]), .frames(["a/x 1!3", "x b/y !5", "."]),
      ]
    ),
    ProtocolCase(
      "commits that come together are told as one",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]),
        .commits([[n("a/x", 1)], [n("a/y", 1)], [n("a/x", 2)], [n("a/z", 1)], [delete("a/z")]]),
        .frames(["a/x 1", "a/y 1", "."]),
      ]
    ),
    ProtocolCase(
      "a removed target is silent and acknowledged once",
      [
        .listen(1, query("a")), .listen(2, query("a")),
        .frames(["+1", "=1", ".", "+2", "=2", "."]),
        .remove(1), .frames(["-1"]), .remove(1), .frames([]), .remove(7), .frames([]),
        .commit([n("a/x", 1)]), .frames(["a/x 2", "."]),
        .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a target id in use ends the stream",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]), .listen(1, query("b")),
        .frames(["end 3"]), .commit([n("a/x", 1)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "a target without an id gets one",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]),
        .listen(0, query("b")), .frames(["+2", "=2", "."]),
      ]
    ),
    ProtocolCase(
      "what is wrong with a query ends its target alone",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]),
        .listen(2, query("a", where: .field("n", .in, .array([])))), .frames(["-2 3"]),
        .commit([n("a/x", 1)]), .frames(["a/x 1", "."]),
      ]
    ),
    ProtocolCase(
      "a target for once ends when it is consistent",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a"), once: true),
        .frames(["+1", "a/x 1", "=1", ".", "-1"]), .commit([n("a/y", 1)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "a collection group holds collections at any depth",
      [
        .commit([n("c/x", 1), n("a/x/c/y", 2), n("a/x/d/y", 3)]), .listen(1, group("c")),
        .frames(["+1", "a/x/c/y 1", "c/x 1", "=1", "."]),
        .commit([n("a/x/b/y/c/z", 4), n("c/x/d/z", 4)]), .frames(["a/x/b/y/c/z 1", "."]),
      ]
    ),
    ProtocolCase(
      "alternatives, arrays and names are found",
      [
        .listen(
          1,
          query(
            "a",
            where: .or([
              equal("n", .integer(1)), .field("tags", .arrayContains, .string("t")),
              .field(
                .documentName,
                .equal,
                .reference(DocumentName(database: HubFixture.id, path: "a/q"))
              ),
            ])
          )
        ), .frames(["+1", "=1", "."]),
        .commit([
          n("a/x", 1), n("a/y", 2), n("a/q", 9), set("a/z", ["tags": .array([.string("t")])]),
        ]),
        .frames(["a/x 1", "a/q 1", "a/z 1", "."]),
        .commit([set("a/x", ["n": .double(1)])]), .frames(["a/x 1", "."]),
        .commit([n("a/x", 3), n("a/z", 2)]), .frames(["a/x !1", "a/z !1", "."]),
      ]
    ),
  ]

  // MARK: Documents

  static let documents = [
    ProtocolCase(
      "a missing document is told as deleted",
      [
        .commit([n("a/x", 1)]), .documents(1, ["a/x", "a/y"]),
        .frames(["+1", "a/x 1", "x a/y !1", "=1", "."]),
        .commit([n("a/y", 1)]), .frames(["a/y 1", "."]),
        .commit([delete("a/x")]), .frames(["x a/x !1", "."]), .commit([n("b/x", 1)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "limbo: a document beside its query",
      [
        .commit([n("a/x", 1)]), .listen(2, query("a", where: equal("n", .integer(1)))),
        .frames(["+2", "a/x 2", "=2", "."]),
        .documents(1, ["a/x"]), .frames(["+1", "a/x 1", "=1", "."]),
        .commit([n("a/x", 2)]), .frames(["a/x 1!2", "."]),
        .remove(1), .frames(["-1"]), .commit([n("a/x", 3)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "documents resume with what has changed",
      [
        .commit([n("a/x", 1), n("a/y", 1), n("a/z", 1)]),
        .documents(1, ["a/x", "a/y", "a/z", "a/none"]),
        .frames(["+1", "a/x 1", "a/y 1", "a/z 1", "x a/none !1", "=1", "."]), .reconnect,
        .commit([n("a/x", 2), delete("a/y")]),
        .documents(1, ["a/x", "a/y", "a/z", "a/none"], from: .token),
        .frames(["+1", "a/x 1", "x a/y !1", "=1", "."]),
      ]
    ),
  ]

  // MARK: Limited queries

  static let windows = [
    ProtocolCase(
      "an entering document displaces the last",
      [
        .commit([n("a/x", 1), n("a/y", 3)]), .listen(1, query("a", order: byN, limit: 2)),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]),
        .commit([n("a/w", 2)]), .frames(["a/w 1", "a/y !1", "."]),
        .commit([n("a/v", 9)]), .frames([]),
      ]
    ),
    ProtocolCase(
      "a leaving document is replaced",
      [
        .commit([n("a/x", 1), n("a/y", 2), n("a/z", 3)]),
        .listen(1, query("a", order: byN, limit: 2)),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]),
        .commit([delete("a/x")]), .frames(["x a/x !1", "a/z 1", "."]),
        .commit([n("a/y", 9)]), .frames(["a/y 1", "."]),
        .commit([n("a/u", 4), n("a/y", 10)]), .frames(["a/u 1", "a/y !1", "."]),
      ]
    ),
    ProtocolCase(
      "a window that runs dry is read again",
      [
        .commit((0..<40).map { n(ResourcePath(["a", Text("d\($0 + 10)")]), Int64($0)) }),
        .listen(1, query("a", order: byN, limit: 2)),
        .frames(["+1", "a/d10 1", "a/d11 1", "=1", "."]),
        .commit((0..<30).map { delete(ResourcePath(["a", Text("d\($0 + 10)")])) }),
        .frames(["x a/d10 !1", "x a/d11 !1", "a/d40 1", "a/d41 1", "."]),
        .commit([delete("a/d40")]), .frames(["x a/d40 !1", "a/d42 1", "."]),
      ]
    ),
    ProtocolCase(
      "the last ones are the first of the reversed order",
      [
        .commit([n("a/x", 1), n("a/y", 2), n("a/z", 3)]),
        .listen(1, query("a", order: [Order("n", .descending)], limit: 1)),
        .frames(["+1", "a/z 1", "=1", "."]),
        .commit([n("a/w", 4)]), .frames(["a/w 1", "a/z !1", "."]),
        .commit([delete("a/w")]), .frames(["x a/w !1", "a/z 1", "."]),
      ]
    ),
    ProtocolCase(
      "a second listener shares the window",
      [
        .commit([n("a/x", 1), n("a/y", 2)]), .listen(1, query("a", order: byN, limit: 1)),
        .frames(["+1", "a/x 1", "=1", "."]), .commit([n("a/w", 0)]),
        .frames(["a/w 1", "a/x !1", "."]), .listen(2, query("a", order: byN, limit: 1)),
        .frames(["+2", "a/w 2", "=2", "."]), .commit([delete("a/w")]),
        .frames(["x a/w !1!2", "a/x 1,2", "."]),
      ]
    ),
  ]

  // MARK: Resumption

  static let resumptions = [
    ProtocolCase(
      "nothing has changed, nothing is sent",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .reconnect, .commit([n("b/x", 1)]), .listen(1, query("a"), from: .token),
        .frames(["+1", "=1", "."]), .commit([n("a/x", 2)]), .frames(["a/x 1", "."]),
      ]
    ),
    ProtocolCase(
      "the difference: in, inside, out, deleted, and come and gone",
      [
        .commit([owned("a/in", "you"), owned("a/is", "me"), owned("a/out", "me")]),
        .commit([owned("a/del", "me"), owned("a/same", "me")]), .listen(1, mine),
        .frames(["+1", "a/del 1", "a/is 1", "a/out 1", "a/same 1", "=1", "."]), .reconnect,
        .commit([owned("a/in", "me"), set("a/is", ["owner": .string("me"), "k": .null])]),
        .commit([owned("a/out", "you"), delete("a/del"), owned("a/flash", "me")]),
        .commit([delete("a/flash"), owned("a/foreign", "you")]),
        .listen(1, mine, from: .token),
        .frames(["+1", "a/in 1", "a/is 1", "a/out !1", "x a/del !1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a read time is as good as a token",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .reconnect, .commit([n("a/y", 1)]), .listen(1, query("a"), from: .readTime),
        .frames(["+1", "a/y 1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "the count comes after the changes that it counts",
      [
        .commit([n("a/x", 1), n("a/y", 1)]), .listen(1, query("a")),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]), .reconnect,
        .commit([n("a/z", 1), delete("a/x"), n("a/w", 1)]),
        .listen(1, query("a"), from: .token, expecting: 2),
        .frames(["+1", "a/z 1", "x a/x !1", "a/w 1", "#1=3", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a limited query resumes by its window",
      [
        .commit([n("a/x", 1), n("a/y", 2), n("a/z", 3)]),
        .listen(1, query("a", order: byN, limit: 2)),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]), .reconnect, .commit([delete("a/x")]),
        .listen(1, query("a", order: byN, limit: 2), from: .token),
        .frames(["+1", "a/z 1", "x a/x !1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a token that is none of ours resets",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a"), from: .bytes([1, 2, 3])),
        .frames(["+1", "0 1", "a/x 1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a token of another query resets",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .reconnect, .listen(1, query("a", order: byN), from: .token),
        .frames(["+1", "0 1", "a/x 1", "=1", "."]), .reconnect,
        .documents(1, ["a/x"], from: .token), .frames(["+1", "0 1", "a/x 1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a token serves every target that was current",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .documents(2, ["a/x"]),
        .listen(3, query("a", order: byN, limit: 1)),
        .frames(["+1", "a/x 1", "=1", ".", "+2", "a/x 2", "=2", ".", "+3", "a/x 3", "=3", "."]),
        .reconnect, .commit([n("a/x", 2)]), .documents(2, ["a/x"], from: .token),
        .frames(["+2", "a/x 2", "=2", "."]), .listen(3, query("a"), from: .readTime),
        .frames(["+3", "=3", "."]),
      ]
    ),
    ProtocolCase(
      "a token of an earlier format resets",
      [
        .commit([n("a/x", 1)]),
        .listen(1, query("a"), from: .bytes([1, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])),
        .frames(["+1", "0 1", "a/x 1", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a client that holds too much gets the names of what there is and of what it must drop",
      [
        .commit([n("a/x", 1), n("a/y", 1)]), .listen(1, query("a")),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]), .reconnect,
        .commit([n("a/z", 1), delete("a/x")]), .keep(1, ["a/x", "a/y", "a/ghost", "a/ghoul"]),
        .listen(1, query("a"), from: .token, expecting: 4),
        .frames(["+1", "a/z 1", "x a/x !1", "#1=2?", "=1", "."]),
        .holds(1, ["a/y", "a/z"]),
      ]
    ),
    ProtocolCase(
      "a client that holds only ghosts gets a filter that nothing passes",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]), .reconnect,
        .keep(1, ["a/ghost"]), .listen(1, query("a"), from: .token, expecting: 1),
        .frames(["+1", "#1=0?", "=1", "."]), .holds(1, []),
      ]
    ),
    ProtocolCase(
      "a client that holds too little gets the count alone",
      [
        .commit([n("a/x", 1), n("a/y", 1)]), .listen(1, query("a")),
        .frames(["+1", "a/x 1", "a/y 1", "=1", "."]), .reconnect,
        .keep(1, ["a/x", "a/y"]), .listen(1, query("a"), from: .token, expecting: 1),
        .frames(["+1", "#1=2", "=1", "."]),
      ]
    ),
    ProtocolCase(
      "a token of the future resets",
      [
        .commit([n("a/x", 1)]), .listen(1, query("b")), .frames(["+1", "=1", "."]),
        .listen(2, query("a"), from: .offset(60_000_000)),
        .frames(["+2", "0 2", "a/x 2", "=2", "."]),
      ]
    ),
    ProtocolCase(
      "a token of a cleared database resets",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .reconnect, .clear, .commit([n("a/y", 1)]), .listen(1, query("a"), from: .token),
        .frames(["+1", "0 1", "a/y 1", "=1", "."]),
      ]
    ),
  ]

  // MARK: Clients that read too slowly

  static let slowClients = [
    ProtocolCase(
      "changes wait, the newest of each document",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]), .stall,
        .commit([n("a/x", 1)]), .frames(["a/x 1", "."]),
        .commit([n("a/x", 2)]), .commit([n("a/y", 1)]), .commit([n("a/x", 3)]),
        .commit([n("a/z", 1)]), .commit([delete("a/z")]), .frames([]),
        .read, .frames(["a/y 1", "a/x 1", "."]),
        .commit([n("a/x", 4)]), .frames(["a/x 1", "."]),
      ]
    ),
    ProtocolCase(
      "too many changes end in a reset",
      backlogBytes: 2_000,
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .listen(3, query("b")),
        .frames(["+1", "a/x 1", "=1", ".", "+3", "=3", "."]), .stall,
        .commit([n("a/x", 2)]), .frames(["a/x 1", "."]),
        .commits((0..<9).map { [n(ResourcePath(["a", Text("d\($0)")]), 0)] }),
        .commit([delete("a/d0")]),
        .commit((1..<9).map { delete(ResourcePath(["a", Text("d\($0)")])) }),
        .frames([]), .read, .frames(["0 1", "0 3", "a/x 1", "=1", "=3", "."]),
        .commit([n("b/x", 1)]), .frames(["b/x 3", "."]),
      ]
    ),
    ProtocolCase(
      "a target that is removed meanwhile is acknowledged",
      [
        .listen(1, query("a")), .listen(3, query("a")),
        .frames(["+1", "=1", ".", "+3", "=3", "."]),
        .stall, .commit([n("a/x", 1)]), .frames(["a/x 1,3", "."]), .commit([n("a/x", 2)]),
        .remove(1), .frames(["-1"]), .read, .frames(["a/x 3", "."]),
      ]
    ),
    ProtocolCase(
      "a target opens when the client reads again",
      [
        .commit([n("b/x", 1)]), .listen(1, query("a")), .frames(["+1", "=1", "."]), .stall,
        .commit([n("a/x", 1)]), .frames(["a/x 1", "."]), .listen(3, query("b")), .frames([]),
        .commit([n("b/y", 1)]), .commit([n("b/x", 2)]), .read,
        .frames(["+3", "b/y 3", "b/x 3", "=3", "."]),
      ]
    ),
  ]

  // MARK: Streams

  static let streams = [
    ProtocolCase(
      "a quiet stream hears of the time",
      [
        .listen(1, query("a")), .frames(["+1", "=1", "."]), .pass(20), .frames([]),
        .pass(20), .frames(["."]), .pass(20), .frames([]), .commit([n("b/x", 1)]), .pass(15),
        .frames(["."]),
      ]
    ),
    ProtocolCase(
      "a cleared database resets its targets",
      [
        .commit([n("a/x", 1)]), .listen(1, query("a")), .frames(["+1", "a/x 1", "=1", "."]),
        .clear, .frames(["0 1", "=1", "."]), .commit([n("a/y", 1)]), .frames(["a/y 1", "."]),
      ]
    ),
  ]
}
