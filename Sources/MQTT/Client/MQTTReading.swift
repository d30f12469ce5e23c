/// What is done around a reading from the broker, on the thread that reads.
package typealias MQTTReading = @Sendable (_ read: () -> Void) -> Void
