import Flare
import JSON

extension FlareSchema {
    /// Whether a member of a model file defines its structure, or is known and ignored.
    package func isStructural(_ name: String) -> Bool {
        switch name {
        case "_id", "__v", "created", "modified", "type": true
        case "environment", "zone", "nearest": fields[name] != nil
        case "zones", "devices": kind == .environment
        case "things": kind == .zone
        default: false
        }
    }
}

extension FlareSchema.Field {
    /// Converts a value of a model file, as leniently as REST.
    ///
    /// Unlike in REST, a value that cannot be converted is a problem. An object without members is absent.
    func read(_ value: JSONValue, at place: String, _ problems: inout [ModelError]) -> JSONValue? {
        func fail(_ wanted: String) -> JSONValue? {
            problems.append(ModelError(place: place, message: "must be \(wanted) (is \(value.excerpt))"))
            return nil
        }
        switch (self, value) {
        case (.any, _), (.text, .string), (.time, .string), (.identifier, .string), (.number, .number):
            return value
        case (.text, .number), (.text, .numeral):
            return .string(value.text)
        case (.text, _), (.time, _), (.identifier, _):
            return fail("a text")
        case (.number, .string(let text)):
            guard let number = Double(text), number.isFinite else { return fail("a number") }
            return .number(number)
        case (.number, _):
            guard let number = value.number, number.isFinite else { return fail("a number") }
            return .number(number)
        case (.texts, .array(let elements)):
            return .array(
                elements.enumerated().compactMap {
                    Self.text.read($0.element, at: "\(place)[\($0.offset)]", &problems)
                }
            )
        case (.texts, _):
            return Self.text.read(value, at: place, &problems).map { .array([$0]) }
        case (.group(let fields), .object(let members)):
            var group: JSONObject = [:]
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
                guard let member = members[name], !member.isNull else { continue }
                group[name] = field.read(member, at: "\(place).\(name)", &problems)
            }
            return group.isEmpty ? .none : .object(group)
        case (.group, _):
            return fail("an object")
        }
    }
}

extension JSONValue {
    /// The value, shortened for a message.
    var excerpt: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string(let text) where text.count > 40: JSONValue.string(text.prefix(40) + "…").text
        default: text
        }
    }
}
