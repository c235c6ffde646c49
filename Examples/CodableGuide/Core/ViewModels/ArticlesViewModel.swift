import FirebaseFirestore
import Observation

/// Enums: articles with their status, and a form.
@MainActor @Observable
package final class ArticlesViewModel {
  package let list: LiveCollection<Article>
  package var draft = Article.empty

  package init(_ database: Firestore) {
    list = LiveCollection(database.collection("articles")) {
      ($0.title, $0.id ?? "") < ($1.title, $1.id ?? "")
    }
  }

  package func add() {
    list.add(draft)
    draft = .empty
  }
}
