import FirestoreModel
import ServiceModule

/// What the console needs of the program to operate it.
package struct ConsoleOperations: Sendable {
  /// Tells of a job's progress; what it throws ends the job.
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

  /// The newest lines of the server's log.
  package let logs: LogRing
  /// The recent values of the server's metrics.
  package let metrics: MetricsHistory
  /// The long work that administrators start, with its outcomes.
  package let jobs: OperationJobs
  /// The kinds of data that can be exported.
  package let kinds: [String]
  /// Recomputes what is derived, of files' bytes one in so many.
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

  /// What the program offers.
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
