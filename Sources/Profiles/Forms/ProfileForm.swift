/// A configuration to be written: what a file says, or profiles to copy.
package struct ProfileForm: Sendable {
    /// What it is written as.
    package enum Format: Sendable {
        case yaml, json
    }

    /// A configuration, in the order in which it is written.
    package let tree: PlacedValue
    /// What the source has and this has not, each in a sentence.
    package let omissions: [String]

    /// All values of a file, its unknown members too.
    ///
    /// - Returns: `nil` if the file could not be read.
    package init?(_ source: ProfileSource, as format: Format) {
        guard let tree = source.tree else { return nil }
        var cleaner = SecretRemoval()
        let cleaned = cleaner.clean(tree)
        var omissions: [String] = []
        if source.hasComments { omissions.append("comments are not kept") }
        if cleaner.isUsed { omissions.append("appSecret is left out: it belongs in no file that is shared") }
        self.init(Self.configuration(cleaned, as: format), omissions: omissions)
    }

    init(_ tree: PlacedValue, omissions: [String] = []) {
        (self.tree, self.omissions) = (tree, omissions)
    }

    /// The text of a JSON file.
    package var json: String { JSONTextWriter.text(of: tree) }

    /// A single device type, or a list of them, becomes a configuration.
    private static func configuration(_ tree: PlacedValue, as format: Format) -> PlacedValue {
        var types: PlacedValue?
        if case .list = tree.content { types = tree }
        if ProfileFields.isDeviceType(tree) { types = PlacedValue(.list([tree]), at: tree.position) }
        var configuration = tree
        if let types {
            let member = PlacedValue.Member(key: "devices", keyPosition: tree.position, value: types)
            configuration = PlacedValue(.object([member]), at: tree.position)
        }
        return format == .json ? withClasses(configuration) : configuration
    }

    /// In JSON, unlike YAML, a device type needs a class.
    private static func withClasses(_ configuration: PlacedValue) -> PlacedValue {
        guard case .object(var members) = configuration.content else { return configuration }
        for (index, member) in members.enumerated() where member.key == "devices" {
            guard let types = member.value.list else { continue }
            members[index].value.content = .list(types.map(withClass))
        }
        return PlacedValue(.object(members), at: configuration.position)
    }

    private static func withClass(_ type: PlacedValue) -> PlacedValue {
        guard let members = type.members, type["class"] == nil else { return type }
        let generic = PlacedValue.Member(
            key: "class",
            keyPosition: type.position,
            value: PlacedValue(.string("AylaDevice"), at: type.position)
        )
        return PlacedValue(.object([generic] + members), at: type.position)
    }
}

/// Leaves the secret of an application out, wherever it stands.
private struct SecretRemoval {
    private(set) var isUsed = false

    mutating func clean(_ value: PlacedValue) -> PlacedValue {
        var value = value
        switch value.content {
        case .list(let elements):
            value.content = .list(elements.map { clean($0) })
        case .object(let members):
            if members.contains(where: { SDKSettings.isSecret($0.key) }) { isUsed = true }
            value.content = .object(
                members.filter { !SDKSettings.isSecret($0.key) }.map { member in
                    var member = member
                    member.value = clean(member.value)
                    return member
                }
            )
        default: break
        }
        return value
    }
}
