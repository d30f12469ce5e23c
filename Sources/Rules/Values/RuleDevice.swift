/// Whose place a trigger or a condition looks at.
/// - Source: contrib/contract/rules.md, "Devices".
package enum RuleDevice: Sendable, Hashable {
    /// The daemon's own device.
    case own
    /// A further device, by its node.
    case node(String)
    /// Any device; of a trigger, each of them.
    case any
    /// Of what comes in: no other device is there.
    case first
    /// Of what goes out: no other device is there any more.
    case last
    /// Of a condition: no device is there.
    case nobody

    /// What rules call it; `nil` for the daemon's own, which they leave out.
    package var text: String? {
        switch self {
        case .own: nil
        case .node(let node): node
        case .any: "any"
        case .first: "first"
        case .last: "last"
        case .nobody: "none"
        }
    }

    /// A device by what rules call it.
    init(_ text: String) {
        self = [.any, .first, .last, .nobody].first { $0.text == text } ?? .node(text)
    }

    /// The node of a further device.
    package var node: String? {
        if case .node(let node) = self { node } else { nil }
    }

    /// `this device`, `anna`, `the last device`.
    var words: String {
        switch self {
        case .own: "this device"
        case .node(let node): Words.name(node)
        case .any: "any device"
        case .first: "the first device"
        case .last: "the last device"
        case .nobody: "no device"
        }
    }
}
