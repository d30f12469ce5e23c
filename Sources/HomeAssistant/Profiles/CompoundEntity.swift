import Controller
import JSON
import Messages
import Text
import Things

/// An entity that shows and sets several properties, such as a thermostat.
protocol CompoundEntity: Sendable {
    static var platform: ComponentName.Platform { get }

    /// Takes the properties that it carries; `nil` if those that it needs are not there.
    init?(_ pool: inout PropertyPool)

    /// The property that it is about.
    var main: ThingProperty { get }
    /// All properties that it carries.
    var carried: [ThingProperty] { get }
    /// What it offers of the actions of the properties that it carries.
    func offers(_ action: ThingProperty.Action, of property: ThingProperty, _ context: EntityContext) -> Bool
    /// The actions, as listed, that it offers beside those of the properties that it carries.
    func borrowed(_ context: EntityContext) -> [String]
    /// The members of its component, without the name.
    func members(_ context: EntityContext) -> JSONObject
}

extension CompoundEntity {
    func borrowed(_: EntityContext) -> [String] { [] }
}

/// What the entities of a thing with a profile have in common.
struct EntityContext {
    let slug: String
    let topics: Topics
    /// Names of actions that belong to no single property of an entity: as listed, with the property if it has one.
    let actions: [(listed: String, name: String, property: String?)]
    /// The text for a key in the language of Home Assistant.
    let text: (String) -> String?

    var data: JSONValue { .string(topics.data(thing: slug)) }
    var actionTopic: JSONValue { .string(topics.command(.thingAction, slug)) }

    /// Takes an object of several properties.
    var setTopic: JSONValue { .string(topics.command(.thingSet, slug)) }

    func command(_ property: ThingProperty) -> JSONValue { command(named: property.name) }

    func command(named attribute: String) -> JSONValue {
        .string(topics.command(.thingSetAttribute, slug, attribute))
    }

    /// Whether a property can be a member of such an object: some names mean something else there.
    static func canJoin(_ property: ThingProperty) -> Bool {
        !["tx", "token", "as", "partial", "transition"].contains(property.name)
    }

    /// The payload that asks for an action.
    static func payload(_ action: String) -> JSONValue {
        .string(PlainName.isWord(action) ? action : JSONValue.string(action).text)
    }

    /// The name of a property for people.
    func title(of property: ThingProperty) -> JSONValue {
        .string(QuotedValue.clipped(translated(property.name) ?? PlainName.of(property.name), to: 120))
    }

    /// The text for a key; `nil` without one.
    func translated(_ key: String) -> String? {
        text(key).map(OptionNames.line).flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Members

    /// How a value of the data is read.
    func reading(_ key: String, _ template: JSONValue) -> JSONObject {
        ["\(key)_topic": data, "\(key)_template": template]
    }

    func currentHumidity(_ property: ThingProperty) -> JSONObject {
        reading("current_humidity", ValueTemplate.number(property.member, from: 0, to: 100))
    }

    /// How the present one of named values is read, and how one is chosen.
    ///
    /// - Parameter template: What Home Assistant calls the template that reads it.
    func choice(
        _ key: String,
        of property: ThingProperty,
        _ options: [(name: String, value: JSONValue)],
        template: String = "state_template"
    ) -> JSONObject {
        [
            "\(key)s": .array(options.map { .string($0.name) }), "\(key)_state_topic": data,
            "\(key)_\(template)": ValueTemplate.naming(property.member, options),
            "\(key)_command_topic": command(property),
            "\(key)_command_template": ValueTemplate.valuing(options),
        ]
    }

    /// Values with their names, each unique.
    func options(_ actions: [ThingProperty.Action]) -> [(name: String, value: JSONValue)] {
        OptionNames.unique(actions.map { (translated($0.name) ?? $0.name, $0.value) })
    }
}
