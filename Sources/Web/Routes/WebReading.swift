package import Controller
package import JSON

/// A path below `/api` with what a capability knows, for whoever may see this device's place.
package struct WebReading: Sendable {
    /// Such as `lifecycle`, for `GET /api/lifecycle`.
    package let path: String
    /// The answer, from the state as the caller may see it.
    let json: @Sendable (ControllerState) -> JSONValue

    package init(_ path: String, json: @escaping @Sendable (ControllerState) -> JSONValue) {
        (self.path, self.json) = (path, json)
    }
}
