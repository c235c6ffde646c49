import Access
import ArgumentParser
import BaseJSON
import BaseText
import FirestoreModel
import Foundation
import RulesAPI
import SecurityRules

/// `brasa rules explain`.
struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why rules allow or deny a request.",
    discussion: """
      Prints each evaluated allow statement with its line, and the values that its condition \
      used. With --documents the request is evaluated on those documents only, without a server; \
      otherwise on the data of the directory or its running server, by the rules in force there or \
      those of --rules.

        brasa rules explain get products/p1 --uid ana --project shop
        brasa rules explain list products --uid ana --rules firestore.rules --documents '{}' \\
          --query '{"where":{"fieldFilter":{"field":{"fieldPath":"userId"},"op":"EQUAL", \\
                    "value":{"stringValue":"ana"}}}}'

        brasa rules explain create users/ana/1.png --uid ana --project shop \
          --bucket shop.appspot.com --new-resource '{"size":1000,"contentType":"image/png"}'

      Documents are JSON objects of fields, plain or as the REST API has them ({"fields": …}). The \
      exit code is 0 whether the request is allowed or denied.
      """
  )

  @Argument(help: "get, list, create, update or delete.") var method: String
  @Argument(help: "The document's path, or the collection's for list; with --bucket an object's.")
  var path: String
  @Option(name: .long, help: "The bucket, for a request about an object in Storage.")
  var bucket: String?
  @Option(
    name: .long,
    help: "The file with the rules (default: the deployed ones).",
    completion: .file()
  )
  var rules: String?
  @Option(name: .long, help: "The caller's user ID (default: not signed in).") var uid: String?
  @Option(name: .long, help: "The claims of the caller's token, a JSON object.") var claims: String?
  @Option(name: .long, help: "The stored document, JSON (default: what is stored).")
  var resource: String?
  @Option(name: .long, help: "The document after the write, JSON.")
  var newResource: String?
  @Option(name: .long, help: "A StructuredQuery of the REST API without from, for list.")
  var query: String?
  @Option(name: .long, help: "All documents, JSON by path: {\"users/ana\": {…}}; needs --rules.")
  var documents: String?
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    var explanation = RulesExplanation(method: method, path: path)
    explanation.rules = try rules.map(RulesFileText.read)
    explanation.bucket = bucket
    explanation.uid = uid
    explanation.claims = claims
    explanation.resource = resource
    explanation.newResource = newResource
    explanation.query = query
    guard let documents else {
      if let source = explanation.rules { _ = try RulesFileText.compile(source) }
      let request = AdministrationRequest.explainRules(
        database: try database.label(),
        explanation: explanation
      )
      return try data.perform(request) { reply in
        switch reply {
        case .line(let line): Terminal.print(line)
        case .finished(let verdict): Terminal.print(verdict)
        default: break
        }
      }
    }
    guard let source = explanation.rules else {
      throw ValidationError("--documents needs --rules.")
    }
    let id = DatabaseID(
      project: Text(database.project ?? "project"),
      database: Text(database.database)
    )
    let compiled = try RulesFileText.compile(source)
    let given = try GivenDocuments(documents, in: id)
    let decision =
      if let bucket {
        try explanation.decision(
          by: compiled,
          in: BucketID(project: id.project, name: Text(bucket)),
          stored: nil,
          on: given
        )
      } else {
        try explanation.decision(by: compiled, in: id, on: given)
      }
    for line in decision.report { Terminal.print(line) }
    Terminal.print(decision.isAllowed ? "allowed" : "denied")
  }
}

/// Documents of the command line.
private struct GivenDocuments: RulesDataSource {
  private var documents: [ResourcePath: RulesDocument] = [:]

  init(_ json: String, in database: DatabaseID) throws {
    guard case .object(let members) = try JSONParser.parse(Array(json.utf8)) else {
      throw ValidationError("--documents must be a JSON object.")
    }
    for member in members {
      let path = ResourcePath(member.key.split(separator: "/").map { Text(String($0)) })
      documents[path] = RulesDocument(
        path: ["databases", database.database, "documents"] + path.segments,
        data: try RulesMap(documentFields: member.value)
      )
    }
  }

  func document(at path: ResourcePath) throws -> RulesDocument? { documents[path] }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { documents[path] }
}
