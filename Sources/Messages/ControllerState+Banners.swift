package import Controller
package import JSON

extension ControllerState {
    /// A banner for the event stream of a display; `nil` when it is long over.
    package func bannerJSON(_ number: Int) -> JSONValue? {
        banner(number).map { shown -> JSONValue in
            var members = shown.banner.json
            members["ts"] = .string(shown.at.timestamp)
            return .object(members)
        }
    }
}
