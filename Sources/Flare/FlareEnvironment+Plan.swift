extension FlareEnvironment {
    /// Whether the plan's y axis points down on maps.
    /// - Source: flare-protocol 9, `data.flipped`.
    package var isFlipped: Bool {
        switch data["flipped"] {
        case .bool(let flag)?: flag
        case let value?: JSONValue.object(["flipped": value]).flareNumber("flipped").map { $0 != 0 } ?? false
        case nil: false
        }
    }
}
