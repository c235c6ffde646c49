import DocumentStore
import FirestoreModel
import Testing

@testable import Realtime

/// A conversation with the hub: what happens, and the frames that the client must get for it.
struct ProtocolCase: Sendable, CustomTestStringConvertible {
  /// One thing that happens; the hub then does all that it has to.
  enum Step: Sendable {
    /// One commit.
    case commit([Write])
    /// Several commits that the hub finds together.
    case commits([[Write]])
    case listen(Int32, Query, from: Start = .nothing, once: Bool = false, expecting: Int? = nil)
    case documents(Int32, [ResourcePath], from: Start = .nothing)
    case remove(Int32)
    /// The documents that the client has of a target from earlier connections.
    case keep(Int32, Set<ResourcePath>)
    /// The documents that the client must hold of a target, with no filter that it could not
    /// follow.
    case holds(Int32, Set<ResourcePath>)
    /// The client takes no more than it was just sent.
    case stall
    /// The client takes what was queued.
    case read
    /// Another connection; the client keeps the token of the last consistency point.
    case reconnect
    /// Time passes, in seconds.
    case pass(Int64)
    case clear
    case deleteDatabase
    /// The frames that the client must have received since the last look.
    case frames([String])
  }

  /// The point at which the client says that it left off.
  enum Start: Sendable {
    case nothing
    /// The token of the last consistency point.
    case token
    /// The version of the last consistency point.
    case readTime
    case bytes([UInt8])
    /// A read time so many microseconds from that of the last point.
    case offset(Int64)
  }

  let testDescription: String
  let steps: [Step]
  var backlogBytes = 4 << 20

  init(_ name: String, backlogBytes: Int = 4 << 20, _ steps: [Step]) {
    testDescription = name
    self.steps = steps
    self.backlogBytes = backlogBytes
  }

  /// Plays the conversation on a store in memory.
  func play() async throws {
    let fixture = try HubFixture(configure: { $0.backlogBytes = backlogBytes })
    var client = fixture.client()
    for (index, step) in steps.enumerated() {
      switch step {
      case .commit(let writes): try await fixture.commit(writes)
      case .commits(let commits): for writes in commits { try await fixture.commit(writes) }
      case .listen(let id, let query, let start, let once, let count):
        let resumption = start.resumption(client.state)
        client.listen(query, id, once: once, from: resumption, expecting: count)
      case .documents(let id, let paths, let start):
        client.listen(documents: paths, id, from: start.resumption(client.state))
      case .remove(let id): client.stream.remove(id)
      case .keep(let id, let paths):
        client.change {
          $0.kept[id] = paths
          $0.targets[id] = paths
        }
      case .holds(let id, let paths):
        #expect(client.state.targets[id] == paths, "step \(index) of \"\(testDescription)\"")
        #expect(client.state.mismatches == [], "step \(index) of \"\(testDescription)\"")
      case .stall: client.change { $0.budget = 1 }
      case .read:
        client.change { $0.budget = .max }
        client.stream.resume()
      case .reconnect:
        client.stream.close()
        let next = fixture.client()
        let state = client.state
        next.change {
          $0.token = state.token
          $0.lastPoint = state.lastPoint
        }
        client = next
      case .pass(let seconds): fixture.pass(seconds)
      case .clear: try fixture.databases.clear(HubFixture.id)
      case .deleteDatabase: try fixture.databases.deleteDatabase(HubFixture.id)
      case .frames(let expected):
        let frames = client.takeFrames()
        #expect(frames == expected, "step \(index) of \"\(testDescription)\"")
      }
      fixture.settle()
    }
    #expect(!client.state.wentBack)
    try fixture.close()
  }
}

extension ProtocolCase.Start {
  fileprivate func resumption(_ state: TestClient.State) -> TargetRequest.Resumption? {
    switch self {
    case .nothing: nil
    case .token: .token(state.token)
    case .readTime: .readTime(state.lastPoint)
    case .bytes(let bytes): .token(bytes)
    case .offset(let offset):
      .readTime(CommitVersion(microseconds: state.lastPoint.microseconds + offset))
    }
  }
}
