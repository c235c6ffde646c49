import Foundation
import Locking

/// The settings for fetching values.
public final class RemoteConfigSettings: NSObject, Sendable {
  private let times = Lock<(interval: TimeInterval, timeout: TimeInterval)>((43_200, 60))

  /// Settings with an interval of twelve hours.
  public override init() {}

  /// Seconds after a fetch in which the values count as new.
  public var minimumFetchInterval: TimeInterval {
    get { times.withLock { $0.interval } }
    set { times.withLock { $0.interval = newValue } }
  }

  /// Seconds that a fetch may take.
  public var fetchTimeout: TimeInterval {
    get { times.withLock { $0.timeout } }
    set { times.withLock { $0.timeout = newValue } }
  }
}

/// The outcome of the last fetch.
public enum RemoteConfigFetchStatus: Int, Sendable {
  /// There was none.
  case noFetchYet = 0
  /// Well, if only because the values were new enough.
  case success = 1
  /// Not well.
  case failure = 2
  /// The server refuses fetches for a while.
  case throttled = 3
}

/// The outcome of a fetch with activation.
public enum RemoteConfigFetchAndActivateStatus: Int, Sendable {
  /// The app sees what was fetched now.
  case successFetchedFromRemote = 0
  /// The app sees what had been fetched before.
  case successUsingPreFetchedData = 1
  /// Not well.
  case error = 2
}
