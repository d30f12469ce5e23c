/// Work around each read from the broker, on the reading thread.
package typealias MQTTReading = @Sendable (_ read: () -> Void) -> Void
