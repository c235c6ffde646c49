import BaseRuntime
import BaseText
import Synchronization

/// Counts what unknown callers try: wrong passwords, new accounts, codes, emails.
///
/// An attempt is counted before its outcome is known and given back when it was good, so that a
/// hundred at once count as a hundred. Wrong passwords count three times over: by address, by
/// account and address, and by account. The first two stop only that address. The third stops
/// addresses that never signed in to the account, after attempts from many different ones. The
/// owner's own addresses, devices and sessions stay as they are, and the code or link of an email
/// opens a new address. So strangers lock no one out. Nor does it stop an attempt that brings the
/// second factor with the password: the response says only whether both are right, so that neither
/// can be guessed by itself. A device that the account was signed in to from has tries of its own,
/// wherever it is. An address is the owner's after a sign-up, a right password, a code of an email
/// or a refresh from it.
///
/// Counts are in memory, bounded, and restart with the server.
package final class AttemptLimits: Sendable {
  /// The number of attempts, and the rate at which they come back.
  package struct Rate: Sendable, Hashable {
    /// The most attempts that can be made at once.
    package let burst: Double
    /// Attempts that come back in a second.
    package let refill: Double

    /// As many at once as `burst`, and as many again within `seconds`.
    package init(_ burst: Int, per seconds: Double) {
      self.burst = Double(burst)
      refill = Double(burst) / seconds
    }
  }

  /// The rates of each kind; nil is no limit.
  package struct Settings: Sendable {
    /// Passwords tried from one address, for all accounts together.
    package var wrongPasswordsByAddress: Rate? = Rate(60, per: 600)
    /// Passwords tried for one account from one address, or from one device that the account vouches for.
    package var wrongPasswordsByAccountAndAddress: Rate? = Rate(10, per: 600)
    /// Passwords tried for one account from addresses that never signed in to it.
    package var wrongPasswordsByAccount: Rate? = Rate(100, per: 3_600)
    /// Accounts made, or linked with a password, from one address.
    package var signUpsByAddress: Rate? = Rate(100, per: 3_600)
    /// Emails sent to one account.
    package var emailsByAccount: Rate? = Rate(5, per: 900)
    /// Emails that one address asks for.
    package var emailsByAddress: Rate? = Rate(60, per: 3_600)
    /// One-time codes tried, and addresses or passwords changed, from one address.
    package var codesByAddress: Rate? = Rate(60, per: 600)
    /// Second factors tried for one user, wherever from.
    package var secondFactorsByAccount: Rate? = Rate(10, per: 600)
    /// The same over a day: six digits resist the guesses of a person who knows the password.
    package var secondFactorsByAccountAndDay: Rate? = Rate(50, per: 86_400)
    /// Enrolments that one user begins.
    package var enrollmentsByAccount: Rate? = Rate(20, per: 600)
    /// ID tokens that are signed for one user, by sign-ins, changes and refreshes.
    package var tokensByAccount: Rate? = Rate(600, per: 600)

    /// Production's rates.
    package init() {}

    /// For development: nothing is limited.
    package static var unlimited: Settings {
      var settings = Settings()
      settings.wrongPasswordsByAddress = nil
      settings.wrongPasswordsByAccountAndAddress = nil
      settings.wrongPasswordsByAccount = nil
      settings.signUpsByAddress = nil
      settings.emailsByAccount = nil
      settings.emailsByAddress = nil
      settings.codesByAddress = nil
      settings.secondFactorsByAccount = nil
      settings.secondFactorsByAccountAndDay = nil
      settings.enrollmentsByAccount = nil
      settings.tokensByAccount = nil
      return settings
    }
  }

  /// The attempts that were counted for one request; `giveBack` returns them.
  package struct Attempt: Sendable {
    /// True if the account was signed in to from that address before.
    package var isFamiliar = false
    fileprivate let keys: [Key]
    fileprivate let familiar: Key?

    fileprivate init(keys: [Key], familiar: Key?) {
      self.keys = keys
      self.familiar = familiar
    }
  }

  fileprivate enum Kind: UInt8, Sendable {
    case passwordByAddress, passwordByAccountAndAddress, passwordByAccountAndDevice
    case passwordByAccount
    case signUp, emailByAccount, emailByAddress, code, secondFactor
    case secondFactorOfDay, enrollment, token
    case familiar
  }

  fileprivate struct Key: Hashable, Sendable {
    let kind: Kind
    let account: Text
    let address: Text
  }

  private struct Bucket {
    var left: Double
    var at: Int64
    let rate: Rate
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// Addresses from which an account was signed in to, and when.
    var familiar: [Key: Int64] = [:]
  }

  private let settings: Settings
  private let clock: MicrosecondClock
  private let state = Mutex(State())

  /// Buckets that are kept at most; the fullest half goes when there are more.
  private static let capacity = 100_000

  /// Counts at those rates.
  package init(_ settings: Settings, clock: MicrosecondClock) {
    self.settings = settings
    self.clock = clock
  }

  /// Counts a password of that account, or throws TOO_MANY_ATTEMPTS_TRY_LATER.
  ///
  /// The account is any name that stays the same, such as project and e-mail.
  ///
  /// - Parameters:
  /// - device: The name of a trusted device with an earlier sign-in to the account.
  ///   - hasSecondFactor: True if the attempt succeeds only where a second factor that comes with
  ///     it is right, too, and its response does not tell which was wrong. Strangers' attempts at
  ///     the account do not stop it.
  package func enterPassword(
    account: Text,
    from origin: RequestOrigin,
    device: Text? = nil,
    hasSecondFactor: Bool = false
  ) throws(AccountError) -> Attempt {
    let address = origin.bucket
    let familiar = Key(kind: .familiar, account: account, address: address)
    var wanted = [
      (
        Key(kind: .passwordByAddress, account: "", address: address),
        settings.wrongPasswordsByAddress
      ),
      (
        Key(kind: .passwordByAccountAndAddress, account: account, address: address),
        settings.wrongPasswordsByAccountAndAddress
      ),
    ]
    var isFamiliar = state.withLock { $0.familiar[familiar] != nil }
    if let device {
      isFamiliar = true
      wanted.append(
        (
          Key(kind: .passwordByAccountAndDevice, account: account, address: device),
          settings.wrongPasswordsByAccountAndAddress
        )
      )
    } else if !isFamiliar, !hasSecondFactor {
      wanted.append(
        (
          Key(kind: .passwordByAccount, account: account, address: ""),
          settings.wrongPasswordsByAccount
        )
      )
    }
    var attempt = try enter(wanted, familiar: familiar, origin)
    attempt.isFamiliar = isFamiliar
    return attempt
  }

  /// Counts a new account.
  package func enterSignUp(from origin: RequestOrigin) throws(AccountError) -> Attempt {
    let key = Key(kind: .signUp, account: "", address: origin.bucket)
    return try enter([(key, settings.signUpsByAddress)], origin)
  }

  /// Counts an email to that account.
  package func enterEmail(
    account: Text,
    from origin: RequestOrigin
  ) throws(AccountError) -> Attempt {
    try enter(
      [
        (
          Key(kind: .emailByAddress, account: "", address: origin.bucket),
          settings.emailsByAddress
        ),
        (Key(kind: .emailByAccount, account: account, address: ""), settings.emailsByAccount),
      ],
      origin
    )
  }

  /// Counts a one-time code that is tried.
  package func enterCode(from origin: RequestOrigin) throws(AccountError) -> Attempt {
    let key = Key(kind: .code, account: "", address: origin.bucket)
    return try enter([(key, settings.codesByAddress)], origin)
  }

  /// Counts a second factor that is tried for that account; wherever from.
  package func enterSecondFactor(account: Text) throws(AccountError) -> Attempt {
    try enter(
      [
        (Key(kind: .secondFactor, account: account, address: ""), settings.secondFactorsByAccount),
        (
          Key(kind: .secondFactorOfDay, account: account, address: ""),
          settings.secondFactorsByAccountAndDay
        ),
      ],
      .client(address: "")
    )
  }

  /// Counts an enrolment that the account begins.
  package func enterEnrollment(account: Text) throws(AccountError) {
    let key = Key(kind: .enrollment, account: account, address: "")
    _ = try enter([(key, settings.enrollmentsByAccount)], .client(address: ""))
  }

  /// Counts an ID token that is signed for the account.
  package func enterToken(account: Text) throws(AccountError) {
    let key = Key(kind: .token, account: account, address: "")
    _ = try enter([(key, settings.tokensByAccount)], .client(address: ""))
  }

  /// Returns what a good attempt took.
  ///
  /// After a good password the address is familiar to the account.
  package func giveBack(_ attempt: Attempt) {
    state.withLock { state in
      for key in attempt.keys {
        guard var bucket = state.buckets[key] else { continue }
        bucket.left = min(bucket.left + 1, bucket.rate.burst)
        state.buckets[key] = bucket.left >= bucket.rate.burst ? nil : bucket
      }
      if let familiar = attempt.familiar { Self.remember(familiar, at: clock.now(), in: &state) }
    }
  }

  /// The account's owner showed himself from there in another way than by a password.
  package func befriend(account: Text, _ origin: RequestOrigin) {
    guard case .client = origin, settings.wrongPasswordsByAccount != nil else { return }
    let familiar = Key(kind: .familiar, account: account, address: origin.bucket)
    state.withLock { Self.remember(familiar, at: clock.now(), in: &$0) }
  }

  private func enter(
    _ wanted: [(Key, Rate?)],
    familiar: Key? = nil,
    _ origin: RequestOrigin
  ) throws(AccountError) -> Attempt {
    if case .administrator = origin { return Attempt(keys: [], familiar: nil) }
    let now = clock.now()
    let taken = state.withLock { state -> [Key]? in
      let limited = wanted.compactMap { key, rate in rate.map { (key, $0) } }
      var buckets = limited.map { key, rate in Self.bucket(state.buckets[key], rate, now) }
      guard buckets.allSatisfy({ $0.left >= 1 }) else { return nil }
      for index in buckets.indices {
        buckets[index].left -= 1
        state.buckets[limited[index].0] = buckets[index]
      }
      if state.buckets.count > Self.capacity { Self.makeRoom(in: &state, now) }
      return limited.map(\.0)
    }
    guard let taken else {
      throw AccountError(.tooManyAttempts, "Too many attempts, please try again later.")
    }
    return Attempt(keys: taken, familiar: familiar)
  }

  /// The bucket as it is now.
  private static func bucket(_ old: Bucket?, _ rate: Rate, _ now: Int64) -> Bucket {
    guard let old else { return Bucket(left: rate.burst, at: now, rate: rate) }
    let seconds = max(0, Double(now - old.at) / 1_000_000)
    return Bucket(left: min(rate.burst, old.left + seconds * rate.refill), at: now, rate: rate)
  }

  /// Forgets full buckets, and if that is not enough the fullest half.
  private static func makeRoom(in state: inout State, _ now: Int64) {
    let current = state.buckets.mapValues { bucket($0, $0.rate, now) }
    state.buckets = current.filter { $0.value.left < $0.value.rate.burst }
    guard state.buckets.count > capacity * 3 / 4 else { return }
    let sorted = state.buckets.sorted { $0.value.left < $1.value.left }
    state.buckets = Dictionary(uniqueKeysWithValues: sorted.prefix(capacity / 2).map { ($0, $1) })
  }

  private static func remember(_ key: Key, at now: Int64, in state: inout State) {
    state.familiar[key] = now
    guard state.familiar.count > capacity else { return }
    let newest = state.familiar.sorted { $0.value > $1.value }.prefix(capacity / 2)
    state.familiar = Dictionary(uniqueKeysWithValues: newest.map { ($0, $1) })
  }
}
