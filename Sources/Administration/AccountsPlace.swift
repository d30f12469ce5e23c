package import Accounts
package import Flare
package import JSON
package import People
import Text

/// Where environments, zones and things are, and how people call them: what the accounts do not know themselves.
package struct AccountsPlace: Sendable {
    /// The environments, zones or things that a text may mean, the likeliest first: by slug or identifier, then by name.
    ///
    /// The first that the caller may see count.
    package var find: @Sendable (FlareClass, String) async -> [[FlareID]]
    /// Where an object is now; `nil` if it is gone.
    package var locate: @Sendable (ObjectReference) async -> AccessObject?
    /// The slugs of objects; those without one are left out.
    package var slugs: @Sendable ([ObjectReference]) async -> [ObjectReference: String]
    /// All objects of a class that have a slug, for hints.
    package var all: @Sendable (FlareClass) async -> [ObjectReference]
    /// The nodes of all devices; `nil` where they are not known.
    package var nodes: @Sendable () async -> [String]?
    /// The nodes of the devices that name a user as theirs, sorted, as far as the list is known.
    package var devices: @Sendable (_ user: String) async -> [String]

    package init(
        find: @escaping @Sendable (FlareClass, String) async -> [[FlareID]],
        locate: @escaping @Sendable (ObjectReference) async -> AccessObject?,
        slugs:
            @escaping @Sendable ([ObjectReference]) async -> [ObjectReference: String],
        all: @escaping @Sendable (FlareClass) async -> [ObjectReference] = { _ in [] },
        nodes: @escaping @Sendable () async -> [String]? = { nil },
        devices: @escaping @Sendable (_ user: String) async -> [String] = { _ in [] }
    ) {
        (self.find, self.locate, self.slugs, self.all) = (find, locate, slugs, all)
        (self.nodes, self.devices) = (nodes, devices)
    }
}

/// An email message with a link, for the program that sends mail.
///
/// It holds a secret and is not logged.
/// - Source: contrib/contract/people.md, "Signing up and forgotten passwords".
package struct EmailMessage: Sendable, Hashable {
    package var id: String
    /// An address of mail.
    package var to: String
    package var subject: String
    package var text: String
    package var kind: LinkPurpose
    /// Milliseconds since 1970, UTC.
    package var expires: Int64

    /// As it goes to the outbox.
    package var json: JSONValue {
        [
            "id": .string(id), "to": .string(to), "subject": .string(subject), "text": .string(text),
            "kind": .string(kind.rawValue), "expires": .string(CivilTime(milliseconds: expires).shortText),
        ]
    }
}
