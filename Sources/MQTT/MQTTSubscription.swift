/// Filters that are read by a handler; see ``MQTTClient/subscribe(_:qos:on:_:)``.
package struct MQTTSubscription: Sendable {
    /// Unsubscribes what nobody else reads.
    ///
    /// What the connection has brought already is still handled.
    package let cancel: @Sendable () -> Void
}
