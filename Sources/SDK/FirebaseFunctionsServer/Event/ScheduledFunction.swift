import BaseJSON
import Foundation

/// A firing of a schedule.
public struct ScheduleEvent: Sendable {
  /// The time for which the schedule asked.
  public let scheduleTime: Date?
}

extension Function {
  /// A function that runs at times.
  ///
  /// - Parameters:
  ///   - schedule: Five fields of cron, or words such as `every 5 minutes`.
  ///   - timeZone: The name of the zone, such as `America/Sao_Paulo`.
  public static func onSchedule(
    _ name: String,
    _ schedule: String,
    timeZone: String? = nil,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (ScheduleEvent) async throws -> Void
  ) -> Function {
    var content: [JSONValue.Member] = [.init("schedule", .string(schedule))]
    if let timeZone { content.append(.init("timeZone", .string(timeZone))) }
    return Function(name, "scheduleTrigger", content, options: options) { request in
      let time = request.header("x-cloudscheduler-scheduletime").flatMap {
        try? Date.ISO8601FormatStyle().parse($0)
      }
      try await handler(ScheduleEvent(scheduleTime: time))
      return HTTPFunctionResponse()
    }
  }
}

/// A task of a queue.
public struct TaskEvent<Payload: Decodable & Sendable>: Sendable {
  /// The task's name.
  public let name: String
  /// The number of attempts before this one.
  public let retryCount: Int
  /// The data that the task was enqueued with.
  public let data: Payload
}

private struct TaskEnvelope<Payload: Decodable>: Decodable {
  let data: Payload
}

extension Function {
  /// A function that runs for each task of the queue that has its name.
  public static func onTaskDispatched<Payload: Decodable & Sendable>(
    _ name: String,
    as type: Payload.Type = Payload.self,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (TaskEvent<Payload>) async throws -> Void
  ) -> Function {
    Function(name, "taskQueueTrigger", options: options) { request in
      try await handler(
        TaskEvent(
          name: request.header("x-cloudtasks-taskname") ?? "",
          retryCount: request.header("x-cloudtasks-taskretrycount").flatMap { Int($0) } ?? 0,
          data: try request.json(as: TaskEnvelope<Payload>.self).data
        )
      )
      return HTTPFunctionResponse(status: 204)
    }
  }
}
