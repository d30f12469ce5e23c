import ArgumentParser
import Bindings
import JSON
import People
import Text
import Things

/// A thing that was onboarded, as verbs name it.
struct BindingArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The thing's vendorThingID or thingID.", valueName: "id"),
        completion: .bindings
    )
    var id: String

    /// The words of its route below `/api/`.
    ///
    /// - Throws: ``VerbError`` for what cannot be the name of a thing.
    func path(_ rest: String...) throws(VerbError) -> [String] {
        guard BindingID(id) != nil || VendorName.isLegalThing(id) else {
            throw VerbError(
                "there is no thing \(QuotedValue.of(id)): `trilateral thing list` shows their vendorThingID and thingID",
                .noInput
            )
        }
        return ["bindings", id] + rest
    }
}

/// Who owns a thing, as verbs name them: a user such as bob, or a group such as group:staff.
enum OwnerArgument {
    /// The form of the routes, such as `user:bob`.
    ///
    /// - Throws: ``VerbError`` for what cannot be the name of a user or a group.
    static func name(_ word: String) throws(VerbError) -> String {
        let name = word.contains(":") ? word : "user:\(word)"
        guard OwnerName(name) != nil else {
            throw VerbError(
                "an owner is a user such as bob, or a group such as group:staff (is \(QuotedValue.of(word)))",
                .dataError
            )
        }
        return name
    }
}

/// The tag of an instance.
enum InstanceTag {
    /// The word for the empty tag.
    static let empty = "-"

    /// The word of a tag in a path.
    ///
    /// An empty word would be a path that means all instances.
    /// - Throws: ``VerbError`` for what cannot be a tag.
    static func word(_ tag: String?) throws(VerbError) -> String {
        try check(tag).isEmpty ? empty : tag ?? empty
    }

    /// The tag that is meant; empty for ``empty``, and for none.
    ///
    /// - Throws: ``VerbError`` for what cannot be a tag.
    @discardableResult
    static func check(_ tag: String?) throws(VerbError) -> String {
        guard let tag, tag != empty else { return "" }
        do throws(Refusal) {
            try AppInstance.check(tag: tag)
        } catch {
            throw VerbError(error.message, .dataError)
        }
        return tag
    }

    /// How a sentence calls the instance of a tag.
    static func title(_ tag: String) -> String {
        tag.isEmpty ? "the instance without a tag" : "instance \(QuotedValue.of(tag))"
    }
}

extension VerbError {
    /// The refusal of a request whose form is wrong, with the names of options in place of members.
    ///
    /// - Parameter options: What a person has given for a member.
    init(_ refusal: Refusal, options: [String: String]) {
        let field = refusal.field ?? ""
        let message =
            if let option = options[field], refusal.message.hasPrefix(field) {
                option + refusal.message.dropFirst(field.count)
            } else {
                refusal.message
            }
        self.init(message, .dataError)
    }
}

extension GroupInterval: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension Installation.DeviceType: ExpressibleByArgument {}

extension AdministrationOption {
    /// The rows of a list that only a daemon has.
    func rows(_ kind: String, query: [String: String?] = [:]) async throws -> JSONValue {
        let answer = try await ask(.get, [kind], query: query, needsDaemon: true)
        return answer[kind] ?? answer
    }
}
