import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel

/// The inputs that the hub's thread takes from its inbox.
enum HubInput: Sendable {
  /// Everything up to a version, and what of it changed something.
  case commits(through: CommitVersion, [PublishedCommit], bytes: Int)
  /// Commits were left out behind those before, because too many waited.
  case gap
  /// Everything up to a version has been reported before this.
  case time(CommitVersion)
  /// A life of a database is over.
  case retired(Incarnation)
  case stream(StreamID, StreamInput)
  /// A part of what a target begins with, or the error that ended its reading.
  case read(OpeningID, Result<ReadPart, ServiceError>)
  /// The first entries of a limited view; nil where a slice did not suffice.
  case window(ViewID, Result<WindowContent?, ServiceError>)
  /// The decision of an engine thread.
  case decision(DecisionID, Result<ListenDecision, ServiceError>)
  /// Callers' credentials may have expired or been revoked.
  case checkCredentials
  /// The rules have changed: every decision is to be made again.
  case decideAgain
  /// Decisions are left to be made again.
  case decideMore
}

/// The reports on a stream by its transport and the engine threads.
enum StreamInput: Sendable {
  case open(DatabaseID, any ListenSink, any ListenAuthority, RequestGate, LedgerAccount?)
  case database(Result<Database, ServiceError>)
  case add(TargetRequest)
  case remove(Int32)
  /// A target that cannot even be asked for.
  case refuse(Int32, ServiceError)
  /// The client took what was queued.
  case resumed
  case closed
  /// The stream ends with an error, or because the client wants no more.
  case ended(ServiceError?)
}

/// Identifies streams.
struct StreamID: Sendable, Hashable { let number: UInt64 }

/// Identifies the openings of targets.
struct OpeningID: Sendable, Hashable { let number: UInt64 }

/// Identifies decisions in progress.
struct DecisionID: Sendable, Hashable { let number: UInt64 }

/// Identifies views.
struct ViewID: Sendable, Hashable { let number: UInt64 }
