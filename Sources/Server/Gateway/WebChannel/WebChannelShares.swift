import Access
import BaseRuntime
import BaseText

/// The shares of clients in the number of WebChannel sessions.
///
/// Shares are dynamic thresholds: an address, and a signed-in user, may hold at most as many
/// sessions as are free. So one client gets half of an idle table, and something is always left for
/// the next. Callers without credentials share half of the table among them in the same manner.
/// Administrators have no bound but the table's.
struct WebChannelShares {
  /// The caller who opens a session.
  enum Holder: Hashable, Sendable {
    /// A caller whose credentials are missing or not valid.
    case nobody
    case user(project: Text, uid: Text)
    case administrator

    /// Makes the holder from the credentials that the memory of a session's call has seen.
    init(_ memory: CallerMemory) {
      switch memory.caller {
      case .user(let user): self = .user(project: user.project, uid: user.uid)
      case .administrator, .projectAdministrator: self = .administrator
      // A back end's credentials are judged each time, and not remembered.
      case .nobody, nil: self = memory.hasShownCredentials ? .administrator : .nobody
      }
    }
  }

  private struct Use {
    var anonymous = 0
    var users = 0

    var total: Int { anonymous + users }
  }

  private let limit: Int
  private let anonymousLimit: Int
  private var total = 0
  private var anonymous = 0
  private var addresses: [ClientAddress: Use] = [:]
  private var users: [Holder: Int] = [:]

  /// Shares in a table of that many sessions.
  init(limit: Int) {
    self.limit = limit
    anonymousLimit = (limit + 1) / 2
  }

  /// Counts one more session; false, and nothing counted, where the client's share is used up.
  mutating func admit(_ holder: Holder, at address: ClientAddress) -> Bool {
    guard hasRoom(for: holder, at: address) else { return false }
    add(1, holder, address)
    return true
  }

  /// A session that was counted is gone.
  mutating func release(_ holder: Holder, at address: ClientAddress) { add(-1, holder, address) }

  private func hasRoom(for holder: Holder, at address: ClientAddress) -> Bool {
    let free = limit - total
    let use = addresses[address] ?? Use()
    switch holder {
    case .administrator: return free > 0
    case .user: return use.total < free && users[holder, default: 0] < free
    case .nobody: return use.total < free && use.anonymous < anonymousLimit - anonymous
    }
  }

  private mutating func add(_ count: Int, _ holder: Holder, _ address: ClientAddress) {
    total += count
    var use = addresses[address] ?? Use()
    switch holder {
    case .administrator: return
    case .user:
      use.users += count
      let sessions = users[holder, default: 0] + count
      users[holder] = sessions == 0 ? nil : sessions
    case .nobody:
      use.anonymous += count
      anonymous += count
    }
    addresses[address] = use.total == 0 ? nil : use
  }
}
