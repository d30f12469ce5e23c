import Controller
import Flare
import Things

/// A change to what a thing is, over HTTP.
package enum ThingChange: Sendable, Hashable {
    case add
    /// By slug or identifier, as received.
    case edit(String)
    case remove(String)
}

extension Command.Order {
    /// `{"name","zone","description","position":{"x","y","z"?},"data":{…},"actions":[…]}`: name and zone are needed for
    /// a new thing; null removes a value of the data.
    init(_ change: ThingChange, _ payload: CommandPayload) throws(Refusal) {
        var fields = try payload.membersOnly()
        if case .remove(let name) = change {
            try fields.finish()
            self = .removeThing(name)
            return
        }
        let zone = try fields.text("zone")
        let edit = try ThingEdit(&fields)
        try fields.finish()
        switch change {
        case .add:
            guard edit.name != nil else {
                throw Refusal(.invalidValue, "a new thing needs a name", field: "name")
            }
            guard let zone else {
                throw Refusal(.invalidValue, "a new thing needs the zone that it is in", field: "zone")
            }
            self = .addThing(edit, zone: zone)
        case .edit(let name):
            guard !edit.isEmpty || zone != nil else {
                throw Refusal(
                    .invalidValue,
                    "nothing to change was given; a thing has name, description, zone, position, data and actions"
                )
            }
            self = .editThing(name, edit, zone: zone)
        case .remove(let name): self = .removeThing(name)
        }
    }
}

extension ThingEdit {
    /// Most values of the data, and most actions, in one change.
    private static let most = 200
    /// Most bytes of a name of them; the server takes as many.
    private static let longest = 256

    fileprivate init(_ fields: inout CommandFields) throws(Refusal) {
        self.init()
        name = try fields.name("name")
        if let text = try fields.text("description") {
            guard text.unicodeScalars.count <= 2000 else {
                throw Refusal(
                    .outOfRange,
                    "description must have at most 2000 characters (has \(text.unicodeScalars.count))",
                    field: "description"
                )
            }
            description = text
        }
        position = try fields.position("position")
        if let values = try fields.object("data")?.rest { data = try Self.checked(values) }
        actions = try Self.actions(fields.remove("actions"))
    }

    private static func checked(_ values: [String: JSONValue]) throws(Refusal) -> [String: JSONValue] {
        guard values.count <= most else {
            throw Refusal(
                .outOfRange,
                "data must have at most \(most) values in one change (has \(values.count))",
                field: "data"
            )
        }
        for name in values.keys.sorted() where !isPlain(name) || name.contains(".") || name.hasPrefix("$") {
            throw Refusal(
                .invalidValue,
                "\(QuotedValue.of(name)) is no name of data; it has 1 to \(longest) bytes, no dot, no $ in front, and "
                    + "no control characters",
                field: "data"
            )
        }
        return values
    }

    private static func actions(_ value: JSONValue?) throws(Refusal) -> [String]? {
        guard let value else { return nil }
        let names = value.array?.compactMap(\.string)
        guard let names, names.count == value.array?.count, names.count <= most, names.allSatisfy(isPlain)
        else {
            throw Refusal(
                .wrongType,
                "actions must be a list of at most \(most) names of 1 to \(longest) bytes",
                field: "actions"
            )
        }
        return names
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
