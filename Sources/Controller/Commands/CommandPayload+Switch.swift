import JSON
import Text
package import Things

extension CommandPayload {
    /// Whether something is to be on: `ON`, `OFF`, `true` or `false`, plain or as the named member of an object.
    package func isOn(named name: String) throws(Refusal) -> Bool {
        var payload = self
        if case .object(var members) = self, let flag = members[name]?.bool {
            members[name] = flag ? "ON" : "OFF"
            payload = .object(members)
        }
        let word = try payload.word(named: name)
        switch word.uppercased() {
        case "ON", "TRUE": return true
        case "OFF", "FALSE": return false
        default:
            throw Refusal(
                .invalidValue,
                "\(name) must be ON or OFF (is \(QuotedValue.of(word)))",
                field: name
            )
        }
    }
}
