import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// Requests that are refused before anything is read or written.
struct RefusalTests {
  private static let a = FieldPath(["a"])
  private static let input = PipelineStage(name: "collection", arguments: [.path("/c")])
  private static let found = PipelineOperand.map([
    .init(
      key: "x",
      value: .call(PipelineCall(name: "array", arguments: [.pipeline([input])]))
    )
  ])

  @Test(arguments: ["update", "let", "where"])
  func `a pipeline that writes has no sub-pipelines`(_ place: String) throws {
    let count = PipelineOperand.call(
      PipelineCall(
        name: "exists",
        arguments: [.call(PipelineCall(name: "scalar", arguments: [.pipeline([Self.input])]))]
      )
    )
    let stages =
      switch place {
      case "update": [Self.input, PipelineStage(name: "update", arguments: [Self.found])]
      case "let":
        [
          Self.input, PipelineStage(name: "let", arguments: [Self.found]),
          PipelineStage(name: "delete"),
        ]
      default:
        [
          Self.input, PipelineStage(name: "where", arguments: [count]),
          PipelineStage(name: "delete"),
        ]
      }
    let error = #expect(throws: ServiceError.self) {
      try PipelineRun.compile(stages, in: PipelineFixture.id)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "A pipeline that writes can't have sub-pipelines.")
  }

  @Test func `a memory limit above the standard counts as the standard`() throws {
    for (asked, expected) in [(1_000, 1_000), (1 << 40, Resources.standardMemory)] {
      let options = try PipelineOptions(["memory_limit": .constant(.integer(Int64(asked)))])
      #expect(options.memoryLimit == expected)
    }
  }
}
