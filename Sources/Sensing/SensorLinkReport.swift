package import Controller

/// Receives the state of a sensor: alerts go to the controller, the state of its link to the health message.
package struct SensorLinkReport: Sendable {
    package let send: @Sendable (ControllerEvent) -> Void
    /// Called with a link's name and whether it is up; `nil` if there is no such link.
    package let linkChanged: @Sendable (String, Bool?) async -> Void

    package init(
        send: @escaping @Sendable (ControllerEvent) -> Void,
        linkChanged: @escaping @Sendable (String, Bool?) async -> Void
    ) {
        self.send = send
        self.linkChanged = linkChanged
    }
}
