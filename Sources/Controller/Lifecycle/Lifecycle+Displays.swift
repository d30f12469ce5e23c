/// The displays by their ids, which do not name the interface.
extension Lifecycle {
    /// The id of a display without the interface that it is attached by.
    static func displayID(of key: String) -> String {
        key.firstIndex(of: "/").map { String(key[key.index(after: $0)...]) } ?? key
    }

    /// The displays that are attached by any interface.
    package var attachedDisplays: Set<String> { Set(displays.keys.map { Self.displayID(of: $0) }) }

    /// Whether a display is visible by any interface; `nil` for one that is not attached.
    package func isVisible(_ display: String) -> Bool? {
        var isVisible: Bool?
        for (key, presence) in displays where Self.displayID(of: key) == display {
            isVisible = isVisible == true || presence == .visible
        }
        return isVisible
    }
}
