import Glibc

/// Whether texts with letters beyond ASCII are shown as they are.
package struct LocaleFacts: Sendable {
    package static let check = "locale"

    /// The one in effect for texts; empty if none is set.
    package var name = ""
    /// Whether the system has it.
    package var isInstalled = true

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard isInstalled else {
            return [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "\(name) is not installed",
                    advice: "LANG=C.UTF-8 is on every Debian; dpkg-reconfigure locales adds others"
                )
            ]
        }
        let plain = name.lowercased().replacing("-", with: "")
        guard plain.contains("utf8") else {
            return [
                DoctorVerdict(
                    Self.check,
                    .hint,
                    "\(name.isEmpty ? "none is set" : name), so terminals may not show all letters of names",
                    advice: "LANG=C.UTF-8"
                )
            ]
        }
        return [DoctorVerdict(Self.check, .ok, name)]
    }

    static func gathered(_ environment: [String: String]) -> LocaleFacts {
        var facts = LocaleFacts()
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        facts.name = variables.first { !$0.isEmpty } ?? ""
        // The mask of LC_CTYPE; nothing of this process changes.
        let found = newlocale(1 << LC_CTYPE, facts.name.isEmpty ? "C" : facts.name, nil)
        facts.isInstalled = found != nil
        if let found { freelocale(found) }
        return facts
    }
}
