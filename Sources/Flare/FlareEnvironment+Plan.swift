import JSON

extension FlareEnvironment {
    /// Whether the plan's y axis points down on maps.
    /// - Source: contrib/contract/flare-protocol.md, "9. Model files".
    package var isFlipped: Bool {
        switch data["flipped"] {
        case .bool(let flag)?: flag
        case let value?: JSONValue.object(["flipped": value]).flareNumber("flipped").map { $0 != 0 } ?? false
        case nil: false
        }
    }
}
