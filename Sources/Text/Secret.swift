/// A text that must not be seen: a password.
///
/// However it is printed, interpolated or reflected, it shows `***`; only ``reveal()`` gives the text.
package struct Secret: Sendable, Hashable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The secret itself, for the one place that sends it.
    package func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
