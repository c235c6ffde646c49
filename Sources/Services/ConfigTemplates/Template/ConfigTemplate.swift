import BaseJSON
import BaseText
import FirestoreModel

/// A template: conditions in their order, and parameters with a value for some of them.
///
/// One that was read or made by `ConfigTemplate(json:…)` keeps the rules of `TemplateCheck`.
package struct ConfigTemplate: Sendable, Equatable {
  /// A named condition.
  package struct Condition: Sendable, Equatable {
    /// The name that parameters refer to, unique in its template: at most 256 characters.
    package let name: String
    /// The condition in Google's language, such as `device.country in ['br']`.
    package let expression: String
    /// One of the console's colours.
    package var tagColor: String?
    /// The author's note for people; nil without one.
    package var description: String?
  }

  /// A parameter; its values are texts, independent of its type.
  package struct Parameter: Sendable, Equatable {
    /// The parameter's name, unique in its template, with letters, digits and `_`.
    package let key: String
    /// The group that it is shown in.
    package var group: String?
    /// The value where no condition holds; nil where clients take their own default.
    package var defaultValue: ParameterValue?
    /// By the names of conditions.
    package var conditionalValues: [(condition: String, value: ParameterValue)] = []
    /// The author's note for people; nil without one.
    package var description: String?
    /// The type of all values; nil leaves them unchecked.
    package var valueType: ValueType?

    /// Every value that some client may have by it.
    var values: [ParameterValue] {
      conditionalValues.map(\.value) + [defaultValue].compactMap(\.self)
    }

    /// Compares all properties; conditional values must have the same order.
    package static func == (left: Parameter, right: Parameter) -> Bool {
      left.key == right.key && left.group == right.group
        && left.defaultValue == right.defaultValue && left.description == right.description
        && left.valueType == right.valueType
        && left.conditionalValues.elementsEqual(right.conditionalValues, by: ==)
    }
  }

  /// A group of parameters.
  package struct Group: Sendable, Equatable {
    /// The group's name, which no parameter of the template has.
    package let name: String
    /// The author's note for people; nil without one.
    package var description: String?
  }

  /// The required form of the texts of a parameter's values.
  package enum ValueType: String, Sendable {
    case string = "STRING"
    case boolean = "BOOLEAN"
    case number = "NUMBER"
    case json = "JSON"
  }

  /// The conditions by priority: the first one that holds decides.
  package var conditions: [Condition] = []
  /// Those without a group first, then by groups.
  package var parameters: [Parameter] = []
  /// The groups by which the console shows parameters.
  package var groups: [Group] = []
  /// The author's description of this version.
  package var versionDescription: String?

  /// A template without anything.
  package init() {}

  /// The parameters that have a default value which is a text, with it.
  package var defaults: [(key: String, value: String)] {
    parameters.compactMap { parameter in
      guard case .value(let text)? = parameter.defaultValue else { return nil }
      return (parameter.key, text)
    }
  }
}

/// The value of a parameter under a condition, or by default.
package enum ParameterValue: Sendable, Equatable {
  case value(String)
  /// Clients receive no value and take their own default.
  case useInAppDefault
  case rollout(Rollout)
  case experiment(Experiment)
  /// The choice of a model of Google's, kept as it came; it has no effect here: clients take their
  /// own default.
  case personalization(JSONValue)

  /// A value for some percent of the installations; the others continue to the next condition.
  package struct Rollout: Sendable, Equatable {
    /// The rollout's id, which parameters with the same percentage may share.
    package let id: String
    /// The value for the installations within the percentage.
    package let value: String
    /// The share of the rollout, in units of `PercentRange.whole`.
    package let microPercent: Int
  }

  /// Values among which installations are split.
  package struct Experiment: Sendable, Equatable {
    /// One of the values; nil leaves the parameter as it is without the experiment.
    package struct Variant: Sendable, Equatable {
      /// The variant's id, unique in its experiment.
      package let id: String
      /// The parameter's value for the variant.
      package let value: String?
      /// The variant's share, relative to the sum of all weights.
      package let weight: Int
    }

    /// The experiment's id, which parameters with the same weights may share.
    package let id: String
    /// The variants in the author's order; the first is the baseline of results.
    package let variants: [Variant]
    /// The share of the installations that its condition is true of, in millionths of a percent.
    package let exposure: Int
    /// True if an installation keeps its variant when weights change.
    package let isSticky: Bool
    /// The measure by which its results compare the variants, where nothing else is asked; nil
    /// where its author names none.
    package let goal: ExperimentGoal?
    /// The name for people, where that is not its id; nothing is decided or counted by it.
    package let displayName: String?
    /// The author's description of the experiment, for people.
    package let description: String?
  }
}

/// The readers of a template.
package enum ConfigNamespace: String, Sendable, CaseIterable {
  /// Apps: the server evaluates.
  case client = "firebase"
  /// Back ends: Google's Admin SDKs evaluate.
  case server = "firebase-server"
}

/// The id of a template.
package struct TemplateID: Sendable, Hashable {
  /// The id of the project.
  package let project: Text
  /// The namespace, which decides between clients' and back ends' template.
  package let namespace: ConfigNamespace

  /// A project's template.
  package init(project: Text, namespace: ConfigNamespace = .client) {
    self.project = project
    self.namespace = namespace
  }
}
