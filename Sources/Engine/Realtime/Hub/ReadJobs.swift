import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel

/// The reads that the hub leaves to other threads, a limited number at a time; results come back to
/// the inbox.
///
/// Only the hub's thread touches it.
final class ReadJobs {
  /// Something to be read.
  enum Job {
    case opening(OpeningID)
    case window(ViewID)
    case decision(DecisionID)
  }

  private let databases: Databases
  private let inbox: BlockingQueue<HubInput>
  private let limit: Int
  private let submit: @Sendable (@escaping @Sendable () -> Void) -> Bool
  private var urgent = Queue<Job>()
  private var waiting = Queue<Job>()
  private var running = 0

  init(
    databases: Databases,
    inbox: BlockingQueue<HubInput>,
    limit: Int,
    submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
  ) {
    self.databases = databases
    self.inbox = inbox
    self.limit = limit
    self.submit = submit
  }

  /// The number of reads that wait for their turn.
  var count: Int { urgent.count + waiting.count }

  /// Puts a job behind the others.
  func add(_ job: Job) { waiting.append(job) }

  /// Puts a job before the others: another one waits for it.
  func addUrgent(_ job: Job) { urgent.append(job) }

  /// Drops unwanted jobs, if they are most of the queue.
  func forget(wanted count: Int, isWanted: (Job) -> Bool) {
    guard waiting.count > 2 * count + 1_024 else { return }
    waiting.removeAll { !isWanted($0) }
  }

  /// The next job, if one more may run.
  func takeNext() -> Job? {
    guard running < limit else { return nil }
    return urgent.popFirst() ?? waiting.popFirst()
  }

  /// A result is back.
  func noteResult() { running -= 1 }

  /// Reads a part of a target's first read; false if there is no thread for it.
  func read(_ reader: TargetReader, for opening: OpeningID) -> Bool {
    start { .read(opening, Self.result { try reader.next() }) }
  }

  /// Reads a slice of a limited view's first read; false if there is no thread for it.
  func readWindow(_ reader: WindowReader, of view: ViewID) -> Bool {
    start { .window(view, Self.result { try reader.next() }) }
  }

  /// Has an authority decide on a subject.
  func decide(
    _ subject: ViewSubject,
    for decision: DecisionID,
    in database: Database,
    at version: CommitVersion,
    _ authority: any ListenAuthority
  ) -> Bool {
    start {
      .decision(decision, Self.result { try authority.decide(subject, in: database, at: version) })
    }
  }

  /// Opens a stream's database; with `tellsTime` the hub first receives the store's version.
  func resolve(
    _ id: DatabaseID,
    for stream: StreamID,
    of authority: any ListenAuthority,
    tellsTime: Bool
  ) -> Bool {
    submit { [databases, inbox] in
      if tellsTime { Self.tellTime(databases, inbox) }
      let result = Self.result { try authority.database(id) }
      _ = inbox.put(.stream(stream, .database(result)))
    }
  }

  /// Sends the hub the store's version.
  func readTime() -> Bool {
    submit { [databases, inbox] in Self.tellTime(databases, inbox) }
  }

  private static func tellTime(_ databases: Databases, _ inbox: BlockingQueue<HubInput>) {
    guard let time = try? databases.publishedReadTime() else { return }
    _ = inbox.put(.time(time))
  }

  private func start(_ work: @escaping @Sendable () -> HubInput) -> Bool {
    let accepted = submit { [inbox] in _ = inbox.put(work()) }
    if accepted { running += 1 }
    return accepted
  }

  private static func result<Value>(_ body: () throws -> Value) -> Result<Value, ServiceError> {
    do { return .success(try body()) } catch { return .failure(ServiceError.storage(error)) }
  }
}
