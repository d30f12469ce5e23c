/// Filters that are read by a handler; see ``MQTTClient/subscribe(_:qos:retainAsPublished:on:_:)``.
package struct MQTTSubscription: Sendable {
    /// Unsubscribes the filters that have no other reader.
    ///
    /// Messages that have arrived already are still handled.
    package let cancel: @Sendable () -> Void
}
