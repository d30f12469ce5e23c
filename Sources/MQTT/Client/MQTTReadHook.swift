/// Wraps each read from the broker, on the reading thread.
package typealias MQTTReadHook = @Sendable (_ read: () -> Void) -> Void
