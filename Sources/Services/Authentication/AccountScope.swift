import BaseText
import FirestoreModel

// A scope in keys and refresh tokens. UTF-8 has no byte 0xFE or 0xFF, so that no project's id begins
// as another kind of scope does, and the scopes of projects come first:
//
//   project   its id, escaped and ended (0x00 0x01)
//   server    0xFE
//   tenant    0xFF, the project's id, the tenant's id, both escaped and ended

/// The owner of a set of accounts: every scope has users, addresses, providers and a configuration
/// of its own, and a token of one is none of another.
package enum AccountScope: Sendable, Hashable {
  case project(Text)
  /// A tenant of a project.
  case tenant(Text, project: Text)
  /// The server itself, whose accounts belong to no project.
  case server

  /// The scope that tokens and records name by project and tenant; nil for a tenant of no project.
  init?(project: Text?, tenant: Text?) {
    switch (project, tenant) {
    case (let project?, nil): self = .project(project)
    case (let project?, let tenant?): self = .tenant(tenant, project: project)
    case (nil, nil): self = .server
    case (nil, _?): return nil
    }
  }

  /// The project that the accounts belong to: the audience of their tokens.
  package var project: Text? {
    switch self {
    case .project(let project), .tenant(_, let project): project
    case .server: nil
    }
  }

  /// The tenant, of a scope that is one.
  package var tenant: Text? {
    if case .tenant(let tenant, _) = self { tenant } else { nil }
  }
}

extension AccountScope: CustomStringConvertible {
  /// The scope as the name of a resource.
  package var description: String {
    switch self {
    case .project(let project): "projects/\(project)"
    case .tenant(let tenant, let project): "projects/\(project)/tenants/\(tenant)"
    case .server: "server"
    }
  }
}

// MARK: Bytes

extension AccountScope {
  private static let serverTag: UInt8 = 0xFE
  private static let tenantTag: UInt8 = 0xFF

  /// Appends the scope.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .project(let project):
      project.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    case .tenant(let tenant, let project):
      bytes.append(Self.tenantTag)
      for text in [project, tenant] {
        text.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
      }
    case .server: bytes.append(Self.serverTag)
    }
  }

  /// Reads a scope and moves the position behind it; nil at anything else, position unchanged.
  static func decode(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> AccountScope? {
    guard position < bytes.count else { return nil }
    var next = position + 1
    switch bytes[position] {
    case serverTag:
      position = next
      return .server
    case tenantTag:
      guard let project = SegmentEncoding.decodeText(bytes, at: &next),
        let tenant = SegmentEncoding.decodeText(bytes, at: &next)
      else { return nil }
      position = next
      return .tenant(tenant, project: project)
    default: return SegmentEncoding.decodeText(bytes, at: &position).map { .project($0) }
    }
  }
}
