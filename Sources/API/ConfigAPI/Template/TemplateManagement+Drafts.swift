import BaseJSON
import BaseStatus
import BaseText
import ConfigTemplates
import FirestoreModel
import FirestoreWire
import ServiceModule

// Drafts: unpublished templates, by a name such as an administrator's.

extension TemplateManagement {
  func listDrafts(_ call: TemplateCall) throws -> ServiceResponse {
    let drafts = try templates.drafts(of: call.id)
    return .json(.object([.init("drafts", .array(drafts.map { $0.json(withTemplate: false) }))]))
  }

  func getDraft(_ call: TemplateCall) throws -> ServiceResponse {
    .json(try templates.draft(name(of: call), of: call.id).json(withTemplate: true))
  }

  /// Takes `{"etag", "template"}`; the etag is that of the version that the draft began from.
  ///
  /// A draft may break a rule; the response says so in `problem`.
  func putDraft(_ call: TemplateCall) throws -> ServiceResponse {
    let body = try call.body()
    guard let template = body["template"], template.members != nil else {
      throw ServiceError.invalidArgument("A draft has a template.")
    }
    let draft = try templates.keepDraft(
      name(of: call),
      of: call.id,
      template: template,
      etag: body["etag"]?.string ?? ""
    )
    return .json(draft.json(withTemplate: true))
  }

  func deleteDraft(_ call: TemplateCall) throws -> ServiceResponse {
    try templates.deleteDraft(name(of: call), of: call.id)
    return .json(.object([]))
  }

  private func name(of call: TemplateCall) -> Text { Text(call.request.parameters["name"] ?? "") }
}

extension TemplateDraft {
  fileprivate func json(withTemplate: Bool) -> JSONValue {
    let instant = Timestamp(microseconds: updateTime)
    let time = TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
    return .members([
      ("name", .string(name.string)), ("etag", .string(etag)), ("updateTime", .string(time)),
      ("problem", problem.map(JSONValue.string)), ("template", withTemplate ? template : nil),
    ])
  }
}
