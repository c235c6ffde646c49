import BaseStatus
import BaseText
import Synchronization

/// The bytes of events that are taken.
package struct IntakeLimits: Sendable {
  /// From one address, in one project, and in all: bytes a second in the long run.
  package var address = 8 << 20
  /// Bytes a second from all proven senders of one project.
  package var project = 16 << 20
  /// Bytes a second from all proven senders.
  package var total = 32 << 20
  /// Seconds whose bytes may come at once.
  package var burst = 10
  /// From one installation that proved itself: bytes a day.
  package var installationDay = 8 << 20
  /// From one app: bytes a day, of which a network has half at most, and a sixteenth while half are taken.
  package var appDay = 1 << 30
  /// From senders that proved nothing, in one network, in one project, and in all: bytes a day.
  package var unprovenNetworkDay = 8 << 20
  /// Bytes a day from all of them in one project.
  package var unprovenProjectDay = 64 << 20
  /// Bytes a day from all of them on the server.
  package var unprovenDay = 256 << 20

  /// The limits of a server.
  package init() {}

  /// Sets the share of unauthenticated senders in one project; a network has an eighth of it, and
  /// all projects four times as much.
  package mutating func setUnproven(inProject bytes: Int) {
    (unprovenNetworkDay, unprovenProjectDay, unprovenDay) = (
      max(bytes / 8, 1 << 20), bytes, bytes * 4
    )
  }

  /// No limits by the day: for development.
  package mutating func removeDays() {
    let days = [
      \IntakeLimits.installationDay, \.appDay, \.unprovenNetworkDay, \.unprovenProjectDay,
      \.unprovenDay,
    ]
    for day in days { self[keyPath: day] = .max }
  }
}

/// Counts incoming data by network, by installation, by app, by project and in total, and refuses
/// data beyond the limits.
///
/// Each count is a bucket that runs empty with time. Only buckets that are not empty are kept.
/// Unauthenticated senders have their own buckets, so that their data takes nothing from the share
/// of others.
final class IntakeLimiter: Sendable {
  private enum Kind: Int, CaseIterable {
    case total, project, address, installation, app, appOfNetwork, unproven, unprovenProject,
      unprovenNetwork
  }

  private struct Name: Hashable {
    var project: Text = ""
    var first = ""
    var second = ""
  }

  private struct Bucket {
    var bytes: Double = 0
    var time: Int64 = 0

    /// The bytes in it at a time, of which so many leave it in a second.
    func level(at now: Int64, _ drain: Double) -> Double {
      max(0, bytes - Double(max(0, now - time)) / 1_000_000 * drain)
    }
  }

  /// A bucket that a request has to find room in.
  private struct Share {
    let kind: Kind
    let name: Name
    let size: Double
    /// Bytes that leave it in a second.
    let drain: Double

    static func second(_ kind: Kind, _ name: Name, _ limit: Int, _ burst: Int) -> Share {
      Share(kind: kind, name: name, size: Double(limit) * Double(burst), drain: Double(limit))
    }

    static func day(_ kind: Kind, _ name: Name, _ limit: Int) -> Share {
      Share(kind: kind, name: name, size: Double(limit), drain: Double(limit) / 86_400)
    }
  }

  /// Buckets of one kind that are kept.
  private static let bucketLimit = 16_384

  private let limits: IntakeLimits
  private let tables = Mutex<[[Name: Bucket]]>(Array(repeating: [:], count: Kind.allCases.count))

  init(_ limits: IntakeLimits) { self.limits = limits }

  /// Counts bytes of a request; RESOURCE_EXHAUSTED where one of the buckets is full.
  func take(_ bytes: Int, from sender: EventSender, now: Int64) throws(ServiceError) {
    let shares = sender.standing.isProven ? provenShares(sender) : unprovenShares(sender)
    let isTaken = tables.withLock { tables in
      let levels = shares.map { share in
        Self.sweep(&tables[share.kind.rawValue], now, share.drain)
        return tables[share.kind.rawValue][share.name]?.level(at: now, share.drain) ?? 0
      }
      let hasRoom = zip(shares, levels).allSatisfy { share, level in
        level + Double(bytes) <= share.size
      }
      guard hasRoom, Self.isFair(bytes, shares, levels) else { return false }
      for (share, level) in zip(shares, levels) {
        tables[share.kind.rawValue][share.name] = Bucket(bytes: level + Double(bytes), time: now)
      }
      return true
    }
    guard isTaken else {
      throw ServiceError(.resourceExhausted, "Too many events. Try again later.")
    }
  }

  private func provenShares(_ sender: EventSender) -> [Share] {
    let (project, burst) = (sender.project, limits.burst)
    // Anyone can invent the IDs of unregistered apps.
    let app = sender.standing == .provenOfAnyApp ? "" : sender.app
    let network = Name(project: project, first: app, second: sender.network)
    var shares: [Share] = [
      .second(.total, Name(), limits.total, burst),
      .second(.project, Name(project: project), limits.project, burst),
      .second(.address, Name(first: sender.network), limits.address, burst),
      .day(.app, Name(project: project, first: app), limits.appDay),
      .day(.appOfNetwork, network, limits.appDay / 2),
    ]
    if let installation = sender.installation {
      let name = Name(project: project, first: installation)
      shares.append(.day(.installation, name, limits.installationDay))
    }
    return shares
  }

  private func unprovenShares(_ sender: EventSender) -> [Share] {
    [
      .day(.unproven, Name(), limits.unprovenDay),
      .day(.unprovenProject, Name(project: sender.project), limits.unprovenProjectDay),
      .day(.unprovenNetwork, Name(first: sender.network), limits.unprovenNetworkDay),
    ]
  }

  /// Returns true if a network leaves others their part of an app's day: once half of it is taken it has a sixteenth.
  private static func isFair(_ bytes: Int, _ shares: [Share], _ levels: [Double]) -> Bool {
    guard let app = shares.firstIndex(where: { $0.kind == .app }),
      let network = shares.firstIndex(where: { $0.kind == .appOfNetwork }),
      levels[app] + Double(bytes) > shares[app].size / 2
    else { return true }
    return levels[network] + Double(bytes) <= shares[app].size / 16
  }

  private static func sweep(_ buckets: inout [Name: Bucket], _ now: Int64, _ drain: Double) {
    guard buckets.count >= bucketLimit else { return }
    buckets = buckets.filter { $0.value.level(at: now, drain) > 0 }
    // The remaining senders have sent recently; those with the least bytes are dropped.
    guard buckets.count >= bucketLimit else { return }
    let kept = buckets.sorted { $0.value.bytes > $1.value.bytes }.prefix(bucketLimit / 2)
    buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
