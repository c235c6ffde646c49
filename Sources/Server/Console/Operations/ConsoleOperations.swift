import FirestoreModel
import ServiceModule

/// The program's functions that the console needs to operate it.
package struct ConsoleOperations: Sendable {
  /// Reports a job's progress; a thrown error ends the job.
  package typealias Tell = (StorageEvent) throws -> Void

  /// A folder with an export.
  package struct Export: Sendable {
    /// The folder's name in the folder of exports.
    package let name: String
    /// The size of the folder's files, in bytes.
    package let bytes: Int
    /// Milliseconds since 1970.
    package let time: Int64

    /// An export of that size, made then.
    package init(name: String, bytes: Int, time: Int64) {
      self.name = name
      self.bytes = bytes
      self.time = time
    }
  }

  /// The certificate that the port shows.
  package struct Certificate: Sendable {
    /// The subject's distinguished name, as text.
    package let subject: String
    /// Milliseconds since 1970.
    package let validUntil: Int64

    /// A certificate of a subject.
    package init(subject: String, validUntil: Int64) {
      self.subject = subject
      self.validUntil = validUntil
    }
  }

  /// The backup of the server, as the page shows it.
  package struct Backup: Sendable {
    /// A moment in milliseconds since 1970, with the base snapshot that it is about.
    package struct Moment: Sendable {
      let base: Int
      let time: Int64

      /// A moment of a base snapshot.
      package init(base: Int, time: Int64) {
        self.base = base
        self.time = time
      }
    }

    /// The target's address.
    package var target = ""
    /// False if everyone who reaches the target can read it.
    package var isEncrypted = false
    /// Days of which every instant can be restored.
    package var days = 0
    /// Hours between two proofs; 0 proves each base snapshot.
    package var proofHours = 0
    /// Seconds of acknowledged writes that are not in the target.
    package var lagSeconds = 0.0
    /// The seconds from a write to the target that 99 of 100 segments stayed below.
    package var delaySecondsP99 = 0.0
    /// The reason for which the last step failed; nil where it went well.
    package var failure: String?
    /// The number of the last segment.
    package var segment = 0
    /// The last base snapshot; nil before the first.
    package var base: Moment?
    /// The last proof; nil before the first.
    package var proof: Moment?
    /// The reason for which the last proof failed; nil where it went well.
    package var proofFailure: String?
    /// The first instant that can be restored, in milliseconds since 1970; nil before the first base snapshot.
    package var earliest: Int64?
    /// Segments that were shipped since the start.
    package var shippedSegments = 0
    /// Bytes that were shipped since the start.
    package var shippedBytes = 0

    /// A backup of which nothing is known yet.
    package init() {}
  }

  /// The newest lines of the server's log.
  package let logs: LogRing
  /// The recent values of the server's metrics.
  package let metrics: MetricsHistory
  /// The long work that administrators start, with its outcomes.
  package let jobs: OperationJobs
  /// The kinds of data that can be exported.
  package let kinds: [String]
  /// Recomputes derived data, with the bytes of one file in this many.
  ///
  /// Blocks, and returns a summary.
  package let verify: @Sendable (_ sample: Int?, _ tell: Tell) throws -> String
  /// Writes kinds of a database and its project to a folder of that name.
  ///
  /// Blocks, and returns a summary.
  package let export:
    @Sendable (_ from: DatabaseID, _ kinds: [String], _ name: String, _ tell: Tell) throws -> String
  /// Reads such a folder.
  ///
  /// Blocks, and returns a summary.
  package let restore:
    @Sendable (_ into: DatabaseID, _ kinds: [String], _ name: String, _ tell: Tell) throws -> String
  /// The folders with exports.
  ///
  /// Blocks.
  package let exports: @Sendable () throws -> [Export]
  /// The certificate in use; nil where the port speaks no TLS.
  ///
  /// Blocks.
  package let certificate: @Sendable () throws -> Certificate?
  /// The newest requests that the server answered; nil shows none.
  package var requests: RequestLog?
  /// The backup as it is now; nil where the server has none.
  package var backup: @Sendable () -> Backup? = { nil }

  /// Collects the functions that the program offers.
  package init(
    logs: LogRing,
    metrics: MetricsHistory,
    jobs: OperationJobs,
    kinds: [String],
    verify: @escaping @Sendable (_ sample: Int?, _ tell: Tell) throws -> String,
    export: @escaping @Sendable (DatabaseID, [String], String, Tell) throws -> String,
    restore: @escaping @Sendable (DatabaseID, [String], String, Tell) throws -> String,
    exports: @escaping @Sendable () throws -> [Export],
    certificate: @escaping @Sendable () throws -> Certificate?
  ) {
    self.logs = logs
    self.metrics = metrics
    self.jobs = jobs
    self.kinds = kinds
    self.verify = verify
    self.export = export
    self.restore = restore
    self.exports = exports
    self.certificate = certificate
  }
}
